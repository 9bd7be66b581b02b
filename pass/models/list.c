// Doubly linked lists as libstdc++ lays them out (std::list): the functions on nodes that its headers declare and only its object
// code defines. Nodes form a circle through the list's own, which stands for the end; alone it leads to itself.

#include "models.h"

typedef struct node {
  struct node *next, *prev;
} node;

static void link(node *first, node *second) {
  first->next = second;
  second->prev = first;
}

// Inserts x before `position`.
void MODEL(_ZNSt8__detail15_List_node_base7_M_hookEPS0_)(node *x, node *position) {
  node *before = position->prev;
  link(before, x);
  link(x, position);
}

// Takes x out.
void MODEL(_ZNSt8__detail15_List_node_base9_M_unhookEv)(node *x) { link(x->prev, x->next); }

// Moves the nodes from `first` up to `end`, without it, before `position`, which is not among them.
void MODEL(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_)(node *position, node *first, node *end) {
  if (first == end || position == end)
    return;
  node *before = position->prev, *left = first->prev, *last = end->prev;
  link(left, end);
  link(before, first);
  link(last, position);
}

// Reverses the circle through x.
void MODEL(_ZNSt8__detail15_List_node_base10_M_reverseEv)(node *x) {
  node *n = x;
  do {
    node *next = n->next;
    n->next = n->prev;
    n->prev = next;
    n = next;
  } while (n != x);
}

// Exchanges the nodes of two lists.
void MODEL(_ZNSt8__detail15_List_node_base4swapERS0_S1_)(node *x, node *y) {
  node *first_of_x = x->next, *last_of_x = x->prev, *first_of_y = y->next, *last_of_y = y->prev;
  if (first_of_y != y) {
    link(x, first_of_y);
    link(last_of_y, x);
  } else {
    link(x, x);
  }
  if (first_of_x != x) {
    link(y, first_of_x);
    link(last_of_x, y);
  } else {
    link(y, y);
  }
}
