// Red-black trees as libstdc++ lays them out (std::map, set, multimap, multiset): the functions on them that its headers declare
// and only its object code defines. Node and header are part of its ABI.
//
// The header stands for the end: its parent is the root, its left the first node and its right the last, itself where there is
// none. It is red, and the root, whose parent it is, is black. Children that are absent are null.
// Both sides are spelled out: a child that is chosen by an index would be a pointer to either, and the analyses of pointers could not
// tell left from right.
// Insertion and removal follow Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", chapter 13.

#include "models.h"

enum colour { RED, BLACK };

struct node {
  enum colour colour;
  struct node *parent, *left, *right;
};
typedef struct node node;

// The root and the header are each other's parents; of other nodes the parent's parent is a third.
static bool is_root_or_header(const node *x) { return x->parent->parent == x; }

static bool is_red(const node *x) { return x && x->colour == RED; }

static node *first_below(node *x) {
  while (x->left)
    x = x->left;
  return x;
}

static node *last_below(node *x) {
  while (x->right)
    x = x->right;
  return x;
}

// The node after x, which is not the end; after the last the end.
static node *next(node *x) {
  if (x->right)
    return first_below(x->right);
  while (!is_root_or_header(x) && x == x->parent->right)
    x = x->parent;
  return x->parent;
}

// The node before x, which is not the first; before the end the last.
static node *previous(node *x) {
  if (x->colour == RED && is_root_or_header(x))
    return x->right;
  if (x->left)
    return last_below(x->left);
  while (x == x->parent->left)
    x = x->parent;
  return x->parent;
}

// Puts `new`, which may be null, into the place that `old` has below its parent.
static void replace_child(node *header, node *old, node *new) {
  node *parent = old->parent;
  if (parent == header)
    header->parent = new;
  else if (old == parent->left)
    parent->left = new;
  else
    parent->right = new;
  if (new)
    new->parent = parent;
}

// x's right child takes x's place, x becomes its left child.
static void rotate_left(node *header, node *x) {
  node *y = x->right;
  x->right = y->left;
  if (y->left)
    y->left->parent = x;
  replace_child(header, x, y);
  y->left = x;
  x->parent = y;
}

// x's left child takes x's place, x becomes its right child.
static void rotate_right(node *header, node *x) {
  node *y = x->left;
  x->left = y->right;
  if (y->right)
    y->right->parent = x;
  replace_child(header, x, y);
  y->right = x;
  x->parent = y;
}

node *MODEL(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base)(node *x) { return next(x); }
const node *MODEL(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base)(const node *x) { return next((node *)x); }
node *MODEL(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base)(node *x) { return previous(x); }
const node *MODEL(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base)(const node *x) { return previous((node *)x); }

// Makes `new` a child of `parent`, which is the header where the tree is empty, and restores the colours.
void MODEL(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_)(bool is_left, node *new, node *parent,
                                                                              node *header) {
  new->colour = RED;
  new->parent = parent;
  new->left = 0;
  new->right = 0;
  if (parent == header) {
    header->parent = new;
    header->left = new;
    header->right = new;
  } else if (is_left) {
    parent->left = new;
    if (parent == header->left)
      header->left = new;
  } else {
    parent->right = new;
    if (parent == header->right)
      header->right = new;
  }
  // Only x and its parent may both be red. A red parent is not the root, so there is a grandparent.
  node *x = new;
  while (x != header->parent && x->parent->colour == RED) {
    node *above = x->parent->parent;
    if (x->parent == above->left) {
      node *uncle = above->right;
      if (is_red(uncle)) {
        x->parent->colour = BLACK;
        uncle->colour = BLACK;
        above->colour = RED;
        x = above;
      } else {
        if (x == x->parent->right) {
          x = x->parent;
          rotate_left(header, x);
        }
        x->parent->colour = BLACK;
        above->colour = RED;
        rotate_right(header, above);
      }
    } else {
      node *uncle = above->left;
      if (is_red(uncle)) {
        x->parent->colour = BLACK;
        uncle->colour = BLACK;
        above->colour = RED;
        x = above;
      } else {
        if (x == x->parent->left) {
          x = x->parent;
          rotate_right(header, x);
        }
        x->parent->colour = BLACK;
        above->colour = RED;
        rotate_left(header, above);
      }
    }
  }
  header->parent->colour = BLACK;
}

// x, a child of `parent`, perhaps null, counts for one black node too few on the paths through it.
static void restore_blacks(node *header, node *x, node *parent) {
  while (x != header->parent && !is_red(x)) {
    if (x == parent->left) {
      node *sibling = parent->right;
      if (sibling->colour == RED) {
        sibling->colour = BLACK;
        parent->colour = RED;
        rotate_left(header, parent);
        sibling = parent->right;
      }
      if (!is_red(sibling->left) && !is_red(sibling->right)) {
        sibling->colour = RED;
        x = parent;
        parent = x->parent;
      } else {
        if (!is_red(sibling->right)) {
          sibling->left->colour = BLACK;
          sibling->colour = RED;
          rotate_right(header, sibling);
          sibling = parent->right;
        }
        sibling->colour = parent->colour;
        parent->colour = BLACK;
        sibling->right->colour = BLACK;
        rotate_left(header, parent);
        return;
      }
    } else {
      node *sibling = parent->left;
      if (sibling->colour == RED) {
        sibling->colour = BLACK;
        parent->colour = RED;
        rotate_right(header, parent);
        sibling = parent->left;
      }
      if (!is_red(sibling->left) && !is_red(sibling->right)) {
        sibling->colour = RED;
        x = parent;
        parent = x->parent;
      } else {
        if (!is_red(sibling->left)) {
          sibling->right->colour = BLACK;
          sibling->colour = RED;
          rotate_left(header, sibling);
          sibling = parent->left;
        }
        sibling->colour = parent->colour;
        parent->colour = BLACK;
        sibling->left->colour = BLACK;
        rotate_right(header, parent);
        return;
      }
    }
  }
  if (x)
    x->colour = BLACK;
}

// Takes `old` out of the tree, and restores the colours; returns the node that may be freed. No other node moves in memory.
node *MODEL(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_)(node *old, node *header) {
  // In this order: from the only node, `previous` leads to the header because that is no longer the parent of a left child.
  if (old == header->left)
    header->left = next(old);
  if (old == header->right)
    header->right = previous(old);
  enum colour lost = old->colour;
  node *x, *parent;
  if (!old->left) {
    x = old->right;
    parent = old->parent;
    replace_child(header, old, x);
  } else if (!old->right) {
    x = old->left;
    parent = old->parent;
    replace_child(header, old, x);
  } else {
    // The successor takes its place and colour.
    node *y = first_below(old->right);
    lost = y->colour;
    x = y->right;
    parent = y->parent;
    if (parent == old) {
      parent = y;
    } else {
      replace_child(header, y, x);
      y->right = old->right;
      y->right->parent = y;
    }
    replace_child(header, old, y);
    y->left = old->left;
    y->left->parent = y;
    y->colour = old->colour;
  }
  if (lost == BLACK && header->parent)
    restore_blacks(header, x, parent);
  return old;
}
