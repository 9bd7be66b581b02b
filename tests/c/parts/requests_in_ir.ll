; Requests as front ends other than clang write them: markers as metadata, prototypes of any type, structs, arrays and vectors as values.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare double @__enzyme_autodiff(...)
declare i64 @__enzyme_autodiff_other_type(i64)
declare void @__enzyme_autodiff_void(ptr, ...)
declare double @__enzyme_fwddiff(...)
declare { double, double } @__enzyme_autodiff_pair(...)
declare { double, double, double } @__enzyme_autodiff_three(...)
declare [3 x double] @__enzyme_fwddiff_width(...)
declare [3 x double] @__enzyme_autodiff_array(...)
declare <2 x double> @__enzyme_autodiff_vector(ptr, <2 x double>)
declare <2 x double> @__enzyme_fwddiff_vector(...)
declare void @__enzyme_autodiff_sret(ptr sret({ double, double, double }), ...)
declare ptr @__enzyme_augmentfwd(...)
declare { double, double } @__enzyme_reverse(...)
declare { ptr, double } @__enzyme_augmentfwd_both(...)

define double @product(double %x, double %y) {
  %r = fmul double %x, %y
  ret double %r
}
define double @weighted(ptr %w, ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %pw = getelementptr double, ptr %w, i64 %i
  %px = getelementptr double, ptr %x, i64 %i
  %vw = load double, ptr %pw
  %vx = load double, ptr %px
  %sq = fmul double %vx, %vx
  %t = fmul double %sq, %vw
  %sum = fadd double %s, %t
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret double %sum
}
define double @power(double %x, i32 %n) {
  %r = call double @llvm.powi.f64.i32(double %x, i32 %n)
  ret double %r
}
declare double @llvm.powi.f64.i32(double, i32)
define double @of_pair({ double, double } %p, double %s) {
  %a = extractvalue { double, double } %p, 0
  %b = extractvalue { double, double } %p, 1
  %ab = fmul double %a, %b
  %r = fmul double %ab, %s
  ret double %r
}
define double @of_array([3 x double] %p) {
  %a = extractvalue [3 x double] %p, 0
  %b = extractvalue [3 x double] %p, 1
  %c = extractvalue [3 x double] %p, 2
  %ab = fmul double %a, %b
  %r = fmul double %ab, %c
  ret double %r
}
define double @of_vector(<2 x double> %v) {
  %a = extractelement <2 x double> %v, i32 0
  %b = extractelement <2 x double> %v, i32 1
  %aa = fmul double %a, %a
  %r = fmul double %aa, %b
  ret double %r
}
define <2 x double> @vector_of(<2 x double> %v) {
  %r = fmul <2 x double> %v, %v
  ret <2 x double> %r
}

define double @const_out(double %x, double %y) {
  %r = call double (...) @__enzyme_autodiff(ptr @product, metadata !"enzyme_const", double %x, metadata !"enzyme_out", double %y)
  ret double %r
}
define double @ours(double %x, double %y) {
  %r = call double (...) @__enzyme_autodiff(ptr @product, metadata !"ad_const", double %x, metadata !"ad_out", double %y)
  ret double %r
}
define void @pointers(ptr %w, ptr %x, ptr %xb, i64 %n) {
  call void (ptr, ...) @__enzyme_autodiff_void(ptr @weighted, metadata !"enzyme_const", ptr %w, metadata !"enzyme_dup", ptr %x, ptr %xb, metadata !"enzyme_const", i64 %n)
  ret void
}
define double @fwd(ptr %w, ptr %x, ptr %xd, i64 %n) {
  %r = call double (...) @__enzyme_fwddiff(ptr @weighted, metadata !"enzyme_const", ptr %w, metadata !"enzyme_dup", ptr %x, ptr %xd, i64 %n)
  ret double %r
}
define double @other_type(double %x, i32 %n) {
  %r = call double @__enzyme_autodiff_other_type(ptr @power, double %x, i32 %n)
  ret double %r
}
define { double, double } @both(double %x, double %y) {
  %r = call { double, double } (...) @__enzyme_autodiff_pair(ptr @product, double %x, double %y)
  ret { double, double } %r
}
define void @with_primal_to(ptr %out, double %x, double %y) {
  %r = call { double, double, double } (...) @__enzyme_autodiff_three(ptr @product, metadata !"enzyme_primal_return", metadata !"enzyme_out", double %x, metadata !"enzyme_out", double %y)
  store { double, double, double } %r, ptr %out
  ret void
}
define void @directions_to(ptr %out, double %x, double %y) {
  %r = call [3 x double] (...) @__enzyme_fwddiff_width(ptr @product, metadata !"enzyme_width", i64 3, metadata !"enzyme_dup", double %x, double 1.0, double 0.0, double 2.0, metadata !"enzyme_dup", double %y, double 0.0, double 1.0, double 1.0)
  store [3 x double] %r, ptr %out
  ret void
}
define void @pair_to(ptr %out, double %a, double %b, double %s) {
  %h = insertvalue { double, double } poison, double %a, 0
  %p = insertvalue { double, double } %h, double %b, 1
  %r = call { double, double, double } (...) @__enzyme_autodiff_three(ptr @of_pair, { double, double } %p, double %s)
  store { double, double, double } %r, ptr %out
  ret void
}
define void @pair_sret(ptr %out, double %a, double %b, double %s) {
  %h = insertvalue { double, double } poison, double %a, 0
  %p = insertvalue { double, double } %h, double %b, 1
  call void (ptr, ...) @__enzyme_autodiff_sret(ptr sret({ double, double, double }) %out, ptr @of_pair, { double, double } %p, double %s)
  ret void
}
define void @array_to(ptr %out, double %a, double %b, double %c) {
  %ha = insertvalue [3 x double] poison, double %a, 0
  %hb = insertvalue [3 x double] %ha, double %b, 1
  %p = insertvalue [3 x double] %hb, double %c, 2
  %r = call [3 x double] (...) @__enzyme_autodiff_array(ptr @of_array, [3 x double] %p)
  store [3 x double] %r, ptr %out
  ret void
}
define <2 x double> @vector_adjoint(<2 x double> %v) {
  %r = call <2 x double> @__enzyme_autodiff_vector(ptr @of_vector, <2 x double> %v)
  ret <2 x double> %r
}
define <2 x double> @vector_tangent(<2 x double> %v, <2 x double> %d) {
  %r = call <2 x double> (...) @__enzyme_fwddiff_vector(ptr @vector_of, metadata !"enzyme_dup", <2 x double> %v, <2 x double> %d)
  ret <2 x double> %r
}
define { double, double } @split(double %x, double %y) {
  %t = call ptr (...) @__enzyme_augmentfwd(ptr @product, double %x, double %y)
  %r = call { double, double } (...) @__enzyme_reverse(ptr @product, double %x, double %y, double 2.0, metadata !"enzyme_tape", ptr %t)
  ret { double, double } %r
}
define { double, double } @split_behind(double %x, double %y) {
  %t = call ptr (...) @__enzyme_augmentfwd(ptr @product, double %x, double %y)
  %r = call { double, double } (...) @__enzyme_reverse(ptr @product, double %x, double %y, double 2.0, ptr %t)
  ret { double, double } %r
}
