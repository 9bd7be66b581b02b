/* Bytes that are no part of a real, beside those of one: in registers, and in memory. */

/* A byte of the register that has the bits of x is written, and only that is used. */
double lib_byte_moved(double x, double y) {
    long k;
    __asm__("movq %1, %%rcx\n\t"
            "xorl %%eax, %%eax\n\t"
            "ucomisd %2, %1\n\t"
            "seta %%al\n\t"
            "movb %%al, %%cl\n\t"
            "andl $1, %%ecx\n\t"
            "movq %%rcx, %0"
            : "=r"(k) : "x"(x), "x"(y) : "rax", "rcx", "cc");
    return k * x * y + (1 - k) * (x + y);
}
double lib_byte_set(double x, double y) {
    long k;
    __asm__("movq %1, %%rax\n\t"
            "ucomisd %2, %1\n\t"
            "seta %%al\n\t"
            "andl $1, %%eax\n\t"
            "movq %%rax, %0"
            : "=r"(k) : "x"(x), "x"(y) : "rax", "cc");
    return k * x * y + (1 - k) * (x + y);
}
/* An integer of two bytes lies behind a long double, in the same four. */
double lib_word_behind(double x, double y) {
    struct { _Alignas(16) char at[32]; } place;
    double r;
    __asm__("fldl %2\n\t"
            "fmull %3\n\t"
            "fstpt 12(%1)\n\t"
            "movw $3, 22(%1)\n\t"
            "fldt 12(%1)\n\t"
            "fimuls 22(%1)\n\t"
            "fstpl %0"
            : "=m"(r) : "r"(&place), "m"(x), "m"(y) : "memory", "st");
    return r;
}
