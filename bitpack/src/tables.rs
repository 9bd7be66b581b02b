//! The logistic function and its inverse, in integers.

/// Steps of the logit that make one.
const SCALE: f64 = 256.0;

/// e^x, by its series. Only operations that all machines round alike.
const fn exp(x: f64) -> f64 {
    let small = x / 1024.0;
    let (mut sum, mut term, mut n) = (1.0, 1.0, 1.0);
    while n < 12.0 {
        term = term * small / n;
        sum += term;
        n += 1.0;
    }
    let mut i = 0;
    while i < 10 {
        sum *= sum;
        i += 1;
    }
    sum
}

const LOGISTIC: [u16; 4096] = {
    let mut table = [0; 4096];
    let mut i = 0;
    while i < 4096 {
        let x = (i as f64 - 2048.0) / SCALE;
        let p = 65536.0 / (1.0 + exp(-x));
        table[i] = if p > 65535.0 { 65535 } else { p as u16 };
        i += 1;
    }
    table
};

/// Logits of probabilities, in steps of 1/4096.
pub static LOGITS: [f32; 4096] = {
    let mut table = [0.0; 4096];
    let (mut i, mut x) = (0, 0);
    while i < 4096 {
        // The first place where the logistic function is not below.
        while x < 4095 && (LOGISTIC[x] as usize) < i * 16 + 8 {
            x += 1;
        }
        table[i] = (x as f32 - 2048.0) / SCALE as f32;
        i += 1;
    }
    table
};

/// The probability (of 2^16) of a logit.
pub fn squash(logit: i32) -> u32 {
    LOGISTIC[(logit.clamp(-2047, 2047) + 2048) as usize].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_the_inverse_of_the_other() {
        assert_eq!(squash(0), 1 << 15);
        for p in (200..65_300).step_by(100) {
            let back = squash((LOGITS[p as usize >> 4] * 256.0) as i32).abs_diff(p);
            assert!(back <= 200, "{p}: {back}");
        }
        assert!(squash(-2047) < 32 && squash(2047) > 65_500);
    }
}
