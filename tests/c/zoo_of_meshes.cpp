// A mesh of cells with materials by name, boundary conditions as objects, and conjugate gradients: the characters of a
// short name are moved two bytes at a time, beside reals.
// ad-i386: none, maps and sets of addresses are refused where an address has four bytes
#include "requests.h"
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>
struct Material { std::string name; double k; int id; };
struct Vertex { double x, y; int id; bool fixed = false; };
struct Cell { int v[3]; const Material *m; double area; std::vector<int> nb; };
struct BC { virtual ~BC() = default; virtual bool apply(const Vertex &, double &value) const = 0; };
struct Dirichlet : BC { double x0, val; Dirichlet(double x0, double val) : x0(x0), val(val) {} bool apply(const Vertex &v, double &u) const override { if (std::abs(v.x - x0) > 1e-9) return false; u = val; return true; } };
class Mesh {
public:
    std::vector<Vertex> vs; std::vector<Cell> cells; std::map<std::string, std::shared_ptr<Material>> mats;
    Mesh(int n, const double *p) {
        mats["a"] = std::make_shared<Material>(Material{"a", p[0], 0}); mats["b"] = std::make_shared<Material>(Material{"b", p[1], 1});
        for (int j = 0; j <= n; j++) for (int i = 0; i <= n; i++) vs.push_back({double(i) / n, double(j) / n * p[2], j * (n + 1) + i});
        for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) { int a = j * (n + 1) + i; add(a, a + 1, a + n + 1, i < n / 2 ? "a" : "b"); add(a + 1, a + n + 2, a + n + 1, i < n / 2 ? "a" : "b"); }
        std::map<std::pair<int, int>, int> edge;
        for (size_t c = 0; c < cells.size(); c++) for (int k = 0; k < 3; k++) { auto e = std::minmax(cells[c].v[k], cells[c].v[(k + 1) % 3]); auto [it, fresh] = edge.try_emplace({e.first, e.second}, int(c)); if (!fresh) { cells[c].nb.push_back(it->second); cells[it->second].nb.push_back(int(c)); } }
    }
    void add(int a, int b, int c, const std::string &m) { auto it = mats.find(m); if (it == mats.end()) throw std::out_of_range("no material " + m); double ar = 0.5 * ((vs[b].x - vs[a].x) * (vs[c].y - vs[a].y) - (vs[c].x - vs[a].x) * (vs[b].y - vs[a].y)); cells.push_back({{a, b, c}, it->second.get(), ar, {}}); }
};
struct CSR { std::vector<int> ptr, col; std::vector<double> val; explicit CSR(const std::vector<std::map<int, double>> &rows) { ptr.push_back(0); for (auto &r : rows) { for (auto &[c, v] : r) { col.push_back(c); val.push_back(v); } ptr.push_back(int(col.size())); } }
    std::vector<double> operator*(const std::vector<double> &x) const { std::vector<double> y(ptr.size() - 1); for (size_t i = 0; i + 1 < ptr.size(); i++) for (int k = ptr[i]; k < ptr[i + 1]; k++) y[i] += val[k] * x[col[k]]; return y; } };
static double dot(const std::vector<double> &a, const std::vector<double> &b) { double s = 0; for (size_t i = 0; i < a.size(); i++) s += a[i] * b[i]; return s; }
static double of_meshes(const double *p) {
    Mesh m(4, p); size_t n = m.vs.size(); std::vector<std::map<int, double>> rows(n); std::vector<double> b(n), u(n);
    for (auto &c : m.cells) for (int i = 0; i < 3; i++) { b[c.v[i]] += c.area / 3; for (int j = 0; j < 3; j++) { auto &A = m.vs[c.v[(i + 1) % 3]], &B = m.vs[c.v[(i + 2) % 3]], &C = m.vs[c.v[(j + 1) % 3]], &D = m.vs[c.v[(j + 2) % 3]]; rows[c.v[i]][c.v[j]] += c.m->k * ((A.y - B.y) * (C.y - D.y) + (B.x - A.x) * (D.x - C.x)) / (4 * c.area); } }
    std::vector<std::unique_ptr<BC>> bcs; bcs.push_back(std::make_unique<Dirichlet>(0.0, p[3])); bcs.push_back(std::make_unique<Dirichlet>(1.0, 0.0));
    for (auto &v : m.vs) for (auto &bc : bcs) { double val; if (bc->apply(v, val)) { v.fixed = true; rows[v.id].clear(); rows[v.id][v.id] = 1; b[v.id] = val; for (auto &r : rows) { auto it = r.find(v.id); if (&r != &rows[v.id] && it != r.end()) { b[&r - &rows[0]] -= it->second * val; r.erase(it); } } } }
    CSR A(rows); auto r = b, q = r; double rr = dot(r, r);
    for (int it = 0; it < 40 && rr > 1e-28; it++) { auto Aq = A * q; double a = rr / dot(q, Aq); for (size_t i = 0; i < n; i++) { u[i] += a * q[i]; r[i] -= a * Aq[i]; } double nr = dot(r, r); for (size_t i = 0; i < n; i++) q[i] = r[i] + nr / rr * q[i]; rr = nr; }
    double s = 0; for (auto &c : m.cells) s += c.area * (u[c.v[0]] + u[c.v[1]] + u[c.v[2]]) / 3 * (1 + 0.1 * c.nb.size()); return s;
}
AD_FUNCTIONAL(of_meshes)
int main() { check_case c = CHECK_FUNCTIONAL(of_meshes, 4); c.tol_diff = 1e-5; check_random_points(&c, 2, 0.5, 1.5); return check_done(); }
