// Objects that observe a value which lives since before the request, and others of the request: tables
// of classes lead to no memory that has a shadow.
// ad-i386: none, sets of addresses are refused where an address has four bytes
#include "requests.h"
#include <memory>
#include <set>
#include <vector>
class Observer;
class Observable {
  friend class Observer;
public:
  virtual ~Observable() {}
  void notify();
private:
  void add(Observer *o) { observers_.insert(o); }
  void remove(Observer *o) { observers_.erase(o); }
  std::set<Observer *> observers_;
};
class Observer {
public:
  Observer() {}
  virtual ~Observer() {
    for (auto &o : observables_) o->remove(this);
  }
  void observe(const std::shared_ptr<Observable> &o) {
    if (o) { observables_.insert(o); o->add(this); }
  }
  virtual void update() = 0;
private:
  std::set<std::shared_ptr<Observable>> observables_;
};
void Observable::notify() {
  for (Observer *o : observers_) o->update();
}
class Settings {
public:
  static Settings &instance() {
    static Settings all;
    return all;
  }
  void set(int day) { if (day != day_) { day_ = day; changed_->notify(); } }
  int day() const { return day_; }
  std::shared_ptr<Observable> changed() const { return changed_; }
private:
  Settings() : changed_(std::make_shared<Observable>()) {}
  int day_ = 0;
  std::shared_ptr<Observable> changed_;
};
class Quote : public Observable {
public:
  explicit Quote(double v) : value_(v) {}
  double value() const { return value_; }
  void set(double v) { value_ = v; notify(); }
private:
  double value_;
};
class Curve : public Observer, public Observable {
public:
  explicit Curve(const std::shared_ptr<Quote> &rate) : rate_(rate) {
    observe(rate);
    observe(Settings::instance().changed());
  }
  double discount(int day) const {
    if (!valid_) { kept_ = rate_->value(); valid_ = true; }
    return 1.0 / (1.0 + kept_ * (day - Settings::instance().day()) / 365.0);
  }
  void update() override { valid_ = false; notify(); }
private:
  std::shared_ptr<Quote> rate_;
  mutable double kept_ = 0;
  mutable bool valid_ = false;
};
class Bond : public Observer {
public:
  Bond(const std::shared_ptr<Curve> &curve, int n) : curve_(curve), n_(n) { observe(curve); }
  double price(double coupon) {
    if (!valid_) {
      price_ = 0;
      for (int i = 1; i <= n_; i++) price_ += coupon * curve_->discount(365 * i);
      price_ += 100 * curve_->discount(365 * n_);
      valid_ = true;
    }
    return price_;
  }
  void update() override { valid_ = false; }
private:
  std::shared_ptr<Curve> curve_;
  int n_;
  double price_ = 0;
  bool valid_ = false;
};
static double value(const double *p) {
  Settings::instance().set(10);
  auto q = std::make_shared<Quote>(p[0]);
  auto c = std::make_shared<Curve>(q);
  Bond b(c, 3);
  double sum = b.price(p[1]);
  q->set(p[0] * p[2]);
  sum += b.price(p[1] * p[2]);
  Settings::instance().set(20);
  sum += b.price(p[2]);
  return sum;
}
AD_FUNCTIONAL(value)
int main() {
  Settings::instance().set(5);
  check_case cs[] = {CHECK_FUNCTIONAL(value, 3)};
  for (auto &c : cs) check_random_points(&c, 2, 0.2, 0.6);
  return check_done();
}
