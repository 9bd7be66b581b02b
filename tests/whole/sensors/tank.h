#pragma once
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Sensor {
    virtual ~Sensor() = default;
    virtual void seen(double level) = 0;
};

class Registry {
public:
    static Registry &get();
    void add(const std::string &name, std::shared_ptr<Sensor> s);
    void tell(double level);
    std::ostream &log() { return log_; }

private:
    std::map<std::string, std::shared_ptr<Sensor>> sensors_;
    std::ofstream log_{"/dev/null"};
};

struct Peak : Sensor {
    double peak = 0;
    std::vector<double> all;
    void seen(double level) override {
        all.push_back(level);
        if (level > peak) peak = level;
    }
};

double drain(const double *p);
