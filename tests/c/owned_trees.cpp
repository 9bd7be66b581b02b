/* Trees whose nodes own each other (std::unique_ptr), taken by value and handed back in a loop: the compiler carries the root as a number from turn to turn.
 * ad-levels: O1 O2 O3
 * ad-i386: none, words of four bytes are not told apart (AD034) */
#include "requests.h"

#include <memory>
#include <utility>

struct Node {
    double value;
    std::unique_ptr<Node> left, right;
};

[[gnu::noinline]] static std::unique_ptr<Node> insert(std::unique_ptr<Node> tree, double value, int path) {
    if (!tree) return std::unique_ptr<Node>(new Node{value, nullptr, nullptr});
    if (path & 1) tree->left = insert(std::move(tree->left), value * tree->value, path >> 1);
    else tree->right = insert(std::move(tree->right), value + tree->value, path >> 1);
    return tree;
}
[[gnu::noinline]] static double sum(const Node *tree, double weight) {
    return tree ? tree->value * weight + sum(tree->left.get(), weight * 0.5) + sum(tree->right.get(), weight * weight) : 0.0;
}
static double grown(const double *x) {
    std::unique_ptr<Node> tree;
    for (int i = 0; i < 6; i++) tree = insert(std::move(tree), x[i & 1] * (i + 1), i);
    return sum(tree.get(), x[0]);
}
struct Link {
    double value;
    std::unique_ptr<Link> next;
};
[[gnu::noinline]] static std::unique_ptr<Link> append(std::unique_ptr<Link> list, double value) {
    if (!list) return std::unique_ptr<Link>(new Link{value, nullptr});
    list->next = append(std::move(list->next), value * list->value);
    return list;
}
static double chained(const double *x) {
    std::unique_ptr<Link> list;
    for (int i = 0; i < 2; i++) list = append(std::move(list), x[i & 1]);
    return list->value + list->next->value;
}

AD_FUNCTIONAL(grown)
AD_FUNCTIONAL(chained)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(grown, 2), CHECK_FUNCTIONAL(chained, 2)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.1);
    return check_done();
}
