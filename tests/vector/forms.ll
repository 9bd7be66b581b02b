; Vector intrinsics that front ends and the vectoriser use for other targets, or rarely; forms.c requests their derivatives.

define double @shuffled(ptr %x) {
  %a = load <4 x double>, ptr %x, align 8
  %p = getelementptr double, ptr %x, i64 4
  %b = load <4 x double>, ptr %p, align 8
  %r = call <4 x double> @llvm.vector.reverse.v4f64(<4 x double> %a)
  %s = call <4 x double> @llvm.vector.splice.v4f64(<4 x double> %a, <4 x double> %b, i32 3)
  %t = call <4 x double> @llvm.vector.splice.v4f64(<4 x double> %a, <4 x double> %b, i32 -3)
  %e = call <2 x double> @llvm.vector.extract.v2f64.v4f64(<4 x double> %b, i64 2)
  %i = call <4 x double> @llvm.vector.insert.v4f64.v2f64(<4 x double> %r, <2 x double> %e, i64 2)
  %d = call {<2 x double>, <2 x double>} @llvm.vector.deinterleave2.v4f64(<4 x double> %b)
  %d0 = extractvalue {<2 x double>, <2 x double>} %d, 0
  %d1 = extractvalue {<2 x double>, <2 x double>} %d, 1
  %n = call <4 x double> @llvm.vector.interleave2.v4f64(<2 x double> %d1, <2 x double> %d0)
  %m1 = fmul <4 x double> %s, %t
  %m2 = fmul <4 x double> %i, %n
  %m = fadd <4 x double> %m1, %m2
  ; In order, as no flag allows another.
  %sum = call double @llvm.vector.reduce.fadd.v4f64(double 0.25, <4 x double> %m)
  %product = call reassoc double @llvm.vector.reduce.fmul.v4f64(double 1.0, <4 x double> %a)
  %top = call double @llvm.vector.reduce.fmaximum.v4f64(<4 x double> %b)
  %low = call double @llvm.vector.reduce.fmin.v4f64(<4 x double> %b)
  %odd = call <3 x double> @llvm.vector.extract.v3f64.v4f64(<4 x double> %m, i64 0)
  %three = call double @llvm.vector.reduce.fmax.v3f64(<3 x double> %odd)
  %u = fmul double %product, %top
  %v = fmul double %low, %three
  %w = fadd double %u, %v
  %result = fadd double %sum, %w
  ret double %result
}

define double @taken_apart(ptr %x) {
  %a = load <4 x double>, ptr %x, align 8
  %f = call {<4 x double>, <4 x i32>} @llvm.frexp.v4f64.v4i32(<4 x double> %a)
  %f0 = extractvalue {<4 x double>, <4 x i32>} %f, 0
  %f1 = extractvalue {<4 x double>, <4 x i32>} %f, 1
  %scaled = call <4 x double> @llvm.ldexp.v4f64.v4i32(<4 x double> %f0, <4 x i32> <i32 3, i32 1, i32 -2, i32 0>)
  %back = call <4 x double> @llvm.ldexp.v4f64.v4i32(<4 x double> %f0, <4 x i32> %f1)
  %cube = call <4 x double> @llvm.powi.v4f64.i32(<4 x double> %scaled, i32 3)
  %five = fmul <4 x double> %a, splat (double 5.0)
  %m = call {<4 x double>, <4 x double>} @llvm.modf.v4f64(<4 x double> %five)
  %m0 = extractvalue {<4 x double>, <4 x double>} %m, 0
  %m1 = extractvalue {<4 x double>, <4 x double>} %m, 1
  %sc = call {<4 x double>, <4 x double>} @llvm.sincos.v4f64(<4 x double> %a)
  %s = extractvalue {<4 x double>, <4 x double>} %sc, 0
  %c = extractvalue {<4 x double>, <4 x double>} %sc, 1
  %k = fptosi <4 x double> %m1 to <4 x i32>
  %kk = mul <4 x i32> %k, %f1
  %kd = sitofp <4 x i32> %kk to <4 x double>
  %whole = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %kk)
  %wholed = sitofp i32 %whole to double
  %p1 = fmul <4 x double> %cube, %back
  %p2 = fmul <4 x double> %m0, %s
  %p3 = fmul <4 x double> %kd, %c
  %q = fadd <4 x double> %p1, %p2
  %r = fadd <4 x double> %q, %p3
  %sum = call reassoc double @llvm.vector.reduce.fadd.v4f64(double %wholed, <4 x double> %r)
  ret double %sum
}

define double @filtered(ptr %x) {
  %store = alloca [8 x double], align 32
  call void @llvm.memset.p0.i64(ptr %store, i8 0, i64 64, i1 false)
  %a = load <4 x double>, ptr %x, align 8
  %p = getelementptr double, ptr %x, i64 4
  %mask = fcmp ogt <4 x double> %a, splat (double 0.6)
  %e = call <4 x double> @llvm.masked.expandload.v4f64(ptr %p, <4 x i1> %mask, <4 x double> %a)
  %m = fmul <4 x double> %e, %a
  call void @llvm.masked.compressstore.v4f64(<4 x double> %m, ptr %store, <4 x i1> %mask)
  %n = sext <4 x i1> <i1 1, i1 0, i1 1, i1 1> to <4 x i64>
  %at = getelementptr double, ptr %p, <4 x i64> %n
  %g = call <4 x double> @llvm.masked.gather.v4f64.v4p0(<4 x ptr> align 8 %at, <4 x i1> %mask, <4 x double> %e)
  %q = getelementptr double, ptr %store, <4 x i64> <i64 4, i64 7, i64 5, i64 6>
  call void @llvm.masked.scatter.v4f64.v4p0(<4 x double> %g, <4 x ptr> align 8 %q, <4 x i1> <i1 1, i1 1, i1 0, i1 1>)
  %l = load <4 x double>, ptr %store, align 32
  %hp = getelementptr double, ptr %store, i64 4
  %h = load <4 x double>, ptr %hp, align 32
  %lh = fmul <4 x double> %l, %h
  %all = fadd <4 x double> %lh, %g
  %sum = call double @llvm.vector.reduce.fadd.v4f64(double 0.0, <4 x double> %all)
  ret double %sum
}
