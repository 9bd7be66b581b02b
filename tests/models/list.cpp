// The models of functions on lists against those of libstdc++: random insertions, removals, moves, reversals and exchanges on three
// lists, by the one, the other, and both in turn, compared with vectors after each step.
#include "check.h"
#include <algorithm>
#include <list>
#include <random>
#include <vector>

using base = std::__detail::_List_node_base;
extern "C" {
void __adcc_model__ZNSt8__detail15_List_node_base7_M_hookEPS0_(base *, base *);
void __adcc_model__ZNSt8__detail15_List_node_base9_M_unhookEv(base *);
void __adcc_model__ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(base *, base *, base *);
void __adcc_model__ZNSt8__detail15_List_node_base10_M_reverseEv(base *);
void __adcc_model__ZNSt8__detail15_List_node_base4swapERS0_S1_(base *, base *);
}

struct node : base {
    int key;
};
struct list {
    base header;
    std::vector<int> want;

    list() { header._M_next = header._M_prev = &header; }
    base *at(size_t i) {
        base *x = header._M_next;
        while (i--) x = x->_M_next;
        return x;
    }
    void check() {
        base *x = &header;
        for (int k : want) {
            CHECK(x->_M_next->_M_prev == x);
            x = x->_M_next;
            CHECK(x != &header && static_cast<node *>(x)->key == k);
        }
        CHECK(x->_M_next == &header && header._M_prev == x);
    }
};

int main() {
    std::mt19937 random(1);
    for (int round = 0; round < 600; round++) {
        list lists[3];
        who whose = static_cast<who>(round % 3);
        int next = 0;
        for (int step = 0; step < 200; step++) {
            bool by_model = whose == model || (whose == both && random() % 2);
            list &a = lists[random() % 3], &b = lists[random() % 3];
            size_t i = random() % (a.want.size() + 1);
            switch (random() % 8) {
            case 0: case 1: case 2: {
                node *x = new node;
                x->key = next++;
                if (by_model) __adcc_model__ZNSt8__detail15_List_node_base7_M_hookEPS0_(x, a.at(i));
                else x->_M_hook(a.at(i));
                a.want.insert(a.want.begin() + i, x->key);
                break;
            }
            case 3: {
                if (i == a.want.size()) break;
                base *x = a.at(i);
                if (by_model) __adcc_model__ZNSt8__detail15_List_node_base9_M_unhookEv(x);
                else x->_M_unhook();
                delete static_cast<node *>(x);
                a.want.erase(a.want.begin() + i);
                break;
            }
            case 4: case 5: {
                size_t from = random() % (b.want.size() + 1), to = from + random() % (b.want.size() + 1 - from);
                if (&a == &b && i >= from && i < to) break;
                base *position = a.at(i), *first = b.at(from), *end = b.at(to);
                if (by_model) {
                    __adcc_model__ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(position, first, end);
                } else {
                    if (first == end) break; // std::list asks before it calls.
                    position->_M_transfer(first, end);
                }
                if (&a == &b) {
                    if (i < from) std::rotate(a.want.begin() + i, a.want.begin() + from, a.want.begin() + to);
                    else std::rotate(a.want.begin() + from, a.want.begin() + to, a.want.begin() + i);
                } else {
                    a.want.insert(a.want.begin() + i, b.want.begin() + from, b.want.begin() + to);
                    b.want.erase(b.want.begin() + from, b.want.begin() + to);
                }
                break;
            }
            case 6:
                if (by_model) __adcc_model__ZNSt8__detail15_List_node_base10_M_reverseEv(&a.header);
                else a.header._M_reverse();
                std::reverse(a.want.begin(), a.want.end());
                break;
            case 7:
                if (&a == &b) break;
                if (by_model) __adcc_model__ZNSt8__detail15_List_node_base4swapERS0_S1_(&a.header, &b.header);
                else base::swap(a.header, b.header);
                std::swap(a.want, b.want);
                break;
            }
            for (list &l : lists) l.check();
        }
        for (list &l : lists)
            for (base *x = l.header._M_next; x != &l.header;) {
                base *gone = x;
                x = x->_M_next;
                delete static_cast<node *>(gone);
            }
    }
    std::puts("lists agree");
}
