// ad-link: -lgsl -lgslcblas -lm
// ad-needs: libgsl.so
/* The special functions of GSL, all that have real arguments and one result, by their signatures,
 * each at points in (0.2, 0.9). */
#include <gsl/gsl_sf.h>

#include "requests.h"

#define PRECISE_1(DO) DO(airy_Ai) DO(airy_Bi) DO(airy_Ai_scaled) DO(airy_Bi_scaled) DO(airy_Ai_deriv) DO(airy_Bi_deriv) \
    DO(airy_Ai_deriv_scaled) DO(airy_Bi_deriv_scaled) DO(ellint_Kcomp) DO(ellint_Ecomp) DO(ellint_Dcomp)
#define ONE(DO) DO(bessel_J0) DO(bessel_J1) DO(bessel_Y0) DO(bessel_Y1) DO(bessel_I0) DO(bessel_I1) DO(bessel_I0_scaled) \
    DO(bessel_I1_scaled) DO(bessel_K0) DO(bessel_K1) DO(bessel_K0_scaled) DO(bessel_K1_scaled) DO(bessel_j0) DO(bessel_j1) DO(bessel_j2) \
    DO(bessel_y0) DO(bessel_y1) DO(bessel_y2) DO(bessel_i0_scaled) DO(bessel_i1_scaled) DO(bessel_i2_scaled) DO(bessel_k0_scaled) \
    DO(bessel_k1_scaled) DO(bessel_k2_scaled) DO(clausen) DO(dawson) DO(debye_1) DO(debye_2) DO(debye_3) DO(debye_4) DO(debye_5) \
    DO(debye_6) DO(dilog) DO(erfc) DO(log_erfc) DO(erf) DO(erf_Z) DO(erf_Q) DO(hazard) DO(exp) DO(expm1) DO(exprel) DO(exprel_2) \
    DO(expint_E1) DO(expint_E2) DO(expint_E1_scaled) DO(expint_E2_scaled) DO(expint_Ei) DO(expint_Ei_scaled) DO(Shi) DO(Chi) \
    DO(expint_3) DO(Si) DO(Ci) DO(atanint) DO(fermi_dirac_m1) DO(fermi_dirac_0) DO(fermi_dirac_1) DO(fermi_dirac_2) \
    DO(fermi_dirac_mhalf) DO(fermi_dirac_half) DO(fermi_dirac_3half) DO(lngamma) DO(gamma) DO(gammastar) DO(gammainv) DO(lambert_W0) \
    DO(legendre_P1) DO(legendre_P2) DO(legendre_P3) DO(legendre_Q0) DO(legendre_Q1) DO(log) DO(log_abs) DO(log_1plusx) DO(log_1plusx_mx) \
    DO(psi) DO(psi_1piy) DO(psi_1) DO(sin_pi) DO(cos_pi) DO(synchrotron_1) DO(synchrotron_2) DO(transport_2) DO(transport_3) \
    DO(transport_4) DO(transport_5) DO(sin) DO(cos) DO(sinc) DO(lnsinh) DO(lncosh) DO(angle_restrict_symm) DO(angle_restrict_pos) \
    DO(zeta) DO(zetam1) DO(eta)
#define ORDER_1(DO) DO(bessel_Jn) DO(bessel_Yn) DO(bessel_In) DO(bessel_In_scaled) DO(bessel_Kn) DO(bessel_Kn_scaled) DO(bessel_jl) \
    DO(bessel_yl) DO(bessel_il_scaled) DO(bessel_kl_scaled) DO(exprel_n) DO(expint_En) DO(expint_En_scaled) DO(fermi_dirac_int) \
    DO(taylorcoeff) DO(hermite_prob) DO(hermite) DO(hermite_func) DO(hermite_func_fast) DO(hermite_phys) DO(legendre_Pl) DO(legendre_Ql) \
    DO(mathieu_a) DO(mathieu_b) DO(psi_n)
#define TWO(DO) DO(bessel_Jnu) DO(bessel_Ynu) DO(bessel_Inu_scaled) DO(bessel_Inu) DO(bessel_Knu_scaled) DO(bessel_Knu) DO(bessel_lnKnu) \
    DO(hydrogenicR_1) DO(multiply) DO(exp_mult) DO(fermi_dirac_inc_0) DO(lnpoch) DO(poch) DO(pochrel) DO(gamma_inc_Q) DO(gamma_inc_P) \
    DO(gamma_inc) DO(lnbeta) DO(beta) DO(gegenpoly_1) DO(gegenpoly_2) DO(gegenpoly_3) DO(hyperg_0F1) DO(laguerre_1) DO(laguerre_2) \
    DO(laguerre_3) DO(conicalP_half) DO(conicalP_mhalf) DO(conicalP_0) DO(conicalP_1) DO(legendre_H3d_0) DO(legendre_H3d_1) DO(hypot)
#define ZERO_1(DO) DO(bessel_zero_Jnu)
#define PRECISE_2(DO) DO(ellint_Pcomp) DO(ellint_F) DO(ellint_E) DO(ellint_D) DO(ellint_RC)
#define PRECISE_3(DO) DO(ellint_P) DO(ellint_RD) DO(ellint_RF)
#define PRECISE_4(DO) DO(ellint_RJ)
#define THREE(DO) DO(beta_inc) DO(hyperg_1F1) DO(hyperg_U)
#define ORDER_2(DO) DO(gegenpoly_n) DO(laguerre_n) DO(conicalP_sph_reg) DO(conicalP_cyl_reg) DO(legendre_H3d) DO(mathieu_ce) \
    DO(mathieu_se)
#define ORDERS_1(DO) DO(hermite_func_der) DO(hyperg_1F1_int) DO(hyperg_U_int) DO(legendre_Plm) DO(legendre_sphPlm)
#define FOUR(DO) DO(hyperg_2F1) DO(hyperg_2F1_conj) DO(hyperg_2F1_renorm) DO(hyperg_2F1_conj_renorm)
#define POWER_1(DO) DO(pow_int)

#define FUNCTION(f, ...)                                                                  \
    static double of_##f(const double *x) { return gsl_sf_##f(__VA_ARGS__); }             \
    AD_FUNCTIONAL(of_##f)

#define PRECISE_1_FUNCTION(f) FUNCTION(f, x[0], GSL_PREC_DOUBLE)
#define ONE_FUNCTION(f) FUNCTION(f, x[0])
#define ORDER_1_FUNCTION(f) FUNCTION(f, 2, x[0])
#define TWO_FUNCTION(f) FUNCTION(f, x[0], x[1])
#define ZERO_1_FUNCTION(f) FUNCTION(f, x[0], 3)
#define PRECISE_2_FUNCTION(f) FUNCTION(f, x[0], x[1], GSL_PREC_DOUBLE)
#define PRECISE_3_FUNCTION(f) FUNCTION(f, x[0], x[1], x[2], GSL_PREC_DOUBLE)
#define PRECISE_4_FUNCTION(f) FUNCTION(f, x[0], x[1], x[2], x[3], GSL_PREC_DOUBLE)
#define THREE_FUNCTION(f) FUNCTION(f, x[0], x[1], x[2])
#define ORDER_2_FUNCTION(f) FUNCTION(f, 2, x[0], x[1])
#define ORDERS_1_FUNCTION(f) FUNCTION(f, 2, 2, x[0])
#define FOUR_FUNCTION(f) FUNCTION(f, x[0], x[1], x[2], x[3])
#define POWER_1_FUNCTION(f) FUNCTION(f, x[0], 2)
PRECISE_1(PRECISE_1_FUNCTION)
ONE(ONE_FUNCTION)
ORDER_1(ORDER_1_FUNCTION)
TWO(TWO_FUNCTION)
ZERO_1(ZERO_1_FUNCTION)
PRECISE_2(PRECISE_2_FUNCTION)
PRECISE_3(PRECISE_3_FUNCTION)
PRECISE_4(PRECISE_4_FUNCTION)
THREE(THREE_FUNCTION)
ORDER_2(ORDER_2_FUNCTION)
ORDERS_1(ORDERS_1_FUNCTION)
FOUR(FOUR_FUNCTION)
POWER_1(POWER_1_FUNCTION)

#define CASE_1(f) CHECK_FUNCTIONAL(of_##f, 1),
#define CASE_2(f) CHECK_FUNCTIONAL(of_##f, 2),
#define CASE_3(f) CHECK_FUNCTIONAL(of_##f, 3),
#define CASE_4(f) CHECK_FUNCTIONAL(of_##f, 4),

int main(void) {
    check_case cases[] = {PRECISE_1(CASE_1)
                          ONE(CASE_1)
                          ORDER_1(CASE_1)
                          TWO(CASE_2)
                          ZERO_1(CASE_1)
                          PRECISE_2(CASE_2)
                          PRECISE_3(CASE_3)
                          PRECISE_4(CASE_4)
                          THREE(CASE_3)
                          ORDER_2(CASE_2)
                          ORDERS_1(CASE_1)
                          FOUR(CASE_4)
                          POWER_1(CASE_1)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cases[k].tol_diff = 1e-6;
        check_random_points(&cases[k], 2, 0.2, 0.9);
    }
    return check_done();
}
