/* ad-i386: none, strings beside active data are refused where an address has four bytes
 *
 * Values of a portfolio: instruments of several classes, quotes by name, lists of owners; messages, made of names that lie beside active data, in
 * exceptions that are thrown and caught. */
#include "requests.h"
#include <cmath>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

namespace {
class Market {
  public:
    void set(const std::string &name, double value) { quotes[name] = value; }
    double quote(const std::string &name) const {
        auto found = quotes.find(name);
        if (found == quotes.end()) {
            std::ostringstream text;
            text << "no quote of " << name << " among " << quotes.size();
            throw std::runtime_error(text.str());
        }
        return found->second;
    }

  private:
    std::map<std::string, double> quotes;
};

struct Instrument {
    virtual ~Instrument() = default;
    virtual double value(const Market &market) const = 0;
    std::string name;
    int number = 0;
};
struct Stock : Instrument {
    Stock(std::string symbol, double n) : shares(n), ticker(std::move(symbol)) { name = "stock of " + ticker; }
    double value(const Market &market) const override { return shares * market.quote(ticker); }
    double shares;
    std::string ticker;
};
struct Bond : Instrument {
    Bond(double f, double c, int n) : face(f), coupon(c), years(n) { name = "bond"; }
    double value(const Market &market) const override {
        double rate = market.quote("rate"), sum = face * std::exp(-rate * years);
        for (int i = 1; i <= years; i++) sum += coupon * face * std::exp(-rate * i);
        return sum;
    }
    double face, coupon;
    int years;
};
struct Basket : Instrument {
    double value(const Market &market) const override {
        double sum = 0;
        for (const auto &part : parts) {
            try {
                sum += part->value(market);
            } catch (const std::exception &) {
                sum -= 1e-3 * market.quote("rate");
            }
            if (auto *bond = dynamic_cast<const Bond *>(part.get())) sum += 0.01 * bond->years * market.quote("rate");
            if (typeid(*part) == typeid(Stock)) sum *= 1.001;
        }
        return sum;
    }
    std::vector<std::unique_ptr<Instrument>> parts;
};

double portfolio(const double *x) {
    Market market;
    market.set("rate", x[0]);
    market.set("ABC", x[1]);
    market.set("a ticker that is longer than a short string", x[2]);
    Basket basket;
    basket.parts.push_back(std::make_unique<Stock>("ABC", 3));
    basket.parts.push_back(std::make_unique<Bond>(100 + x[3], 0.05, 4));
    basket.parts.push_back(std::make_unique<Stock>("a ticker that is longer than a short string", 2));
    basket.parts.push_back(std::make_unique<Stock>("NONE", 2));
    for (size_t i = 0; i < basket.parts.size(); i++) basket.parts[i]->number = (int)i;
    double value = basket.value(market);
    return value * value / 1000;
}
AD_FUNCTIONAL(portfolio)
} // namespace

int main() {
    check_case c = CHECK_FUNCTIONAL(portfolio, 4);
    check_random_points(&c, 3, 0.5, 1.5);
    return check_done();
}
