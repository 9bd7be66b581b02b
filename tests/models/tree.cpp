// The models of functions on trees against those of libstdc++: random insertions and removals by the one, the other, and both in
// turn. After each step the tree is a red-black tree that holds what a std::set holds.
#include "check.h"
#include <iterator>
#include <random>
#include <set>

using base = std::_Rb_tree_node_base;
extern "C" {
base *__adcc_model__ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(base *);
const base *__adcc_model__ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(const base *);
base *__adcc_model__ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(base *);
const base *__adcc_model__ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(const base *);
void __adcc_model__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(bool, base *, base *, base &);
base *__adcc_model__ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(base *, base &);
}

struct node : base {
    int key;
};
static int key(const base *x) { return static_cast<const node *>(x)->key; }

struct tree {
    base header;
    int size = 0;
    std::set<int> want;

    tree() {
        header._M_color = std::_S_red;
        header._M_parent = nullptr;
        header._M_left = header._M_right = &header;
    }
    // The node with that key; where it would be inserted.
    base *find(int k, base *&parent, bool &is_left) {
        parent = &header;
        is_left = true;
        for (base *x = header._M_parent; x;) {
            if (key(x) == k) return x;
            parent = x;
            is_left = k < key(x);
            x = is_left ? x->_M_left : x->_M_right;
        }
        return nullptr;
    }
    void insert(int k, base *parent, bool is_left, bool by_model) {
        node *x = new node;
        x->key = k;
        if (by_model)
            __adcc_model__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(is_left, x, parent, header);
        else
            std::_Rb_tree_insert_and_rebalance(is_left, x, parent, header);
        size++;
        want.insert(k);
    }
    void erase(base *x, bool by_model) {
        want.erase(key(x));
        base *gone = by_model ? __adcc_model__ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(x, header)
                              : std::_Rb_tree_rebalance_for_erase(x, header);
        CHECK(gone == x);
        delete static_cast<node *>(gone);
        size--;
    }
    // Black nodes on each path down from x.
    int blacks(const base *x, const base *parent, long low, long high, int &count) {
        if (!x) return 0;
        count++;
        CHECK(x->_M_parent == parent);
        CHECK(key(x) > low && key(x) < high);
        bool is_red = x->_M_color == std::_S_red;
        CHECK(!is_red || !x->_M_left || x->_M_left->_M_color == std::_S_black);
        CHECK(!is_red || !x->_M_right || x->_M_right->_M_color == std::_S_black);
        int left = blacks(x->_M_left, x, low, key(x), count), right = blacks(x->_M_right, x, key(x), high, count);
        CHECK(left == right);
        return left + !is_red;
    }
    void check() {
        int count = 0;
        CHECK(header._M_color == std::_S_red);
        if (base *root = header._M_parent) {
            CHECK(root->_M_color == std::_S_black);
            blacks(root, &header, -1, 1L << 40, count);
            CHECK(header._M_left == base::_S_minimum(root));
            CHECK(header._M_right == base::_S_maximum(root));
        } else {
            CHECK(header._M_left == &header && header._M_right == &header);
        }
        CHECK(count == size && size == (int)want.size());
    }
    // Walks there and back, by the model's functions, compared with the library's at each step.
    void walk() {
        base *x = header._M_left;
        for (int k : want) {
            CHECK(x != &header && key(x) == k);
            base *next = __adcc_model__ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(x);
            CHECK(next == std::_Rb_tree_increment(x));
            CHECK(next == __adcc_model__ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(x));
            x = next;
        }
        CHECK(x == &header);
        for (auto k = want.rbegin(); k != want.rend(); ++k) {
            base *before = __adcc_model__ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(x);
            CHECK(before == std::_Rb_tree_decrement(x));
            CHECK(before == __adcc_model__ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(x));
            CHECK(key(before) == *k);
            x = before;
        }
    }
};

int main() {
    std::mt19937 random(1);
    for (int round = 0; round < 1200; round++) {
        tree t;
        int range = 1 + random() % (round % 2 ? 300 : 12);
        who whose = static_cast<who>(round / 2 % 3);
        for (int step = 0; step < 300; step++) {
            bool by_model = whose == model || (whose == both && random() % 2), is_left;
            int k = random() % range;
            base *parent;
            if (base *x = t.find(k, parent, is_left)) {
                if (random() % 3) t.erase(x, by_model);
            } else {
                t.insert(k, parent, is_left, by_model);
            }
            t.check();
            if (step % 16 == 0) t.walk();
        }
        while (t.size) {
            t.erase(t.header._M_parent, true);
            t.check();
        }
    }
    std::puts("trees agree");
}
