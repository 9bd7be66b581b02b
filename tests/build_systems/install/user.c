int check(void);
int main(void) { return check(); }
