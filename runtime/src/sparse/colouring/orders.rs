//! Orders in which greedy colourings take the vertices.

/// Vertices of larger degree first, those of equal degree in their own order.
pub fn largest_first(degrees: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..degrees.len() as u32).collect();
    order.sort_by_key(|&v| std::cmp::Reverse(degrees[v as usize]));
    order
}

/// Smallest-last: the last vertex has the smallest degree, the last but one the smallest among the
/// others without the last, and so on. `neighbours` calls its second argument for each neighbour
/// once. Source: Matula, Beck, Smallest-last ordering and clustering, JACM 30 (1983); buckets.
pub fn smallest_last(
    mut degrees: Vec<u32>,
    mut neighbours: impl FnMut(u32, &mut dyn FnMut(u32)),
) -> Vec<u32> {
    let count = degrees.len();
    let most = degrees.iter().copied().max().unwrap_or(0) as usize;
    // Vertices by degree, where each degree starts, and where each vertex is.
    let mut start = vec![0u32; most + 2];
    degrees.iter().for_each(|&d| start[d as usize + 1] += 1);
    for d in 1..start.len() {
        start[d] += start[d - 1];
    }
    let (mut sorted, mut place) = (vec![0u32; count], vec![0u32; count]);
    let mut next = start.clone();
    for (v, &d) in degrees.iter().enumerate() {
        place[v] = next[d as usize];
        sorted[place[v] as usize] = v as u32;
        next[d as usize] += 1;
    }
    for i in 0..count {
        let v = sorted[i];
        let degree = degrees[v as usize];
        neighbours(v, &mut |u| {
            let d = degrees[u as usize];
            // Vertices that are taken, and those that would come before this one, stay.
            if d <= degree {
                return;
            }
            // The first vertex of this degree changes places with u.
            let (to, at) = (start[d as usize], place[u as usize]);
            let other = sorted[to as usize];
            sorted.swap(to as usize, at as usize);
            (place[u as usize], place[other as usize]) = (to, at);
            start[d as usize] += 1;
            degrees[u as usize] -= 1;
        });
    }
    sorted.reverse();
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_degrees_come_first() {
        assert_eq!(largest_first(&[1, 3, 2, 3]), [1, 3, 2, 0]);
    }

    #[test]
    fn a_tree_is_taken_from_its_leaves() {
        // A star with a path: 0 - 1, 0 - 2, 0 - 3 - 4.
        let edges: [&[u32]; 5] = [&[1, 2, 3], &[0], &[0], &[0, 4], &[3]];
        let degrees = edges.iter().map(|e| e.len() as u32).collect();
        let order = smallest_last(degrees, |v, f| edges[v as usize].iter().for_each(|&u| f(u)));
        // From the end on, each has at most one neighbour among those before it.
        for (i, &v) in order.iter().enumerate() {
            let before = edges[v as usize].iter().filter(|u| order[..i].contains(u)).count();
            assert!(before <= 1);
        }
    }
}
