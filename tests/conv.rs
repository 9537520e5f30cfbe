//! Convolutional nets: the file format, and the forward pass against a plain reference.

use nguky::eval::conv::model::{Activation, Attention, BatchNorm, Block, RmsNorm, RotaryEmbedding, TrunkNorm};
use nguky::eval::conv::random::{BlockShape, HeadShape, ModelShape, PositionEncoding};
use nguky::eval::conv::{Method, Model, Net, Output, Runner, Simd, reference};
use nguky::util::rng::SplitMix;
use std::io::Write;
use std::sync::Arc;

/// A small net of some blocks.
fn net(version: u32, blocks: Vec<BlockShape>, act: Activation) -> Model {
    let shape = ModelShape {
        version,
        spatial: 22,
        globals: 19,
        first: if version < 12 { 5 } else { 3 },
        channels: 12,
        middle: 8,
        pooled: 4,
        blocks,
        act,
        head: 6,
        value: 10,
    };
    Model::random("tiny-net", &shape, 7)
}

/// Nets of every version and kind of block.
fn nets() -> Vec<Model> {
    use BlockShape::{Nested, Ordinary, Pooling};
    let inside = || Nested(vec![Ordinary, Pooling]);
    let versions = Model::VERSIONS.map(|version| net(version, vec![Ordinary, Pooling, inside()], Activation::Mish));
    versions.chain(transformers(&mut SplitMix::new(3))).collect()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    to.write_all(bytes).expect("packed");
    to.finish().expect("packed")
}

#[test]
fn files_come_back_as_they_were_written() {
    for model in nets() {
        assert_eq!(model.check(), Ok(()));
        for file in [model.write(), model.write_text()] {
            assert!(Model::read(&file).as_ref() == Ok(&model), "version {}", model.version);
            assert!(
                Model::read(&packed(&file)).as_ref() == Ok(&model),
                "version {}",
                model.version
            );
        }
        // Half floats lose three digits and nothing else.
        let half = Model::read(&model.write_half()).expect("a readable file");
        assert!(model.write_half().len() < model.write().len() * 6 / 10);
        assert_eq!(half.write_half(), model.write_half());
        assert_eq!(half.weights(), model.weights());
    }
}

/// Subnormal weights are slow to multiply by, and nothing is lost without them.
#[test]
fn weights_that_decayed_to_nothing_are_read_as_zero() {
    let mut model = net(15, vec![BlockShape::Ordinary], Activation::Relu);
    model.trunk.conv.weights[..2].copy_from_slice(&[1e-40, -1e-33]);
    for file in [model.write(), model.write_text()] {
        let weights = Model::read(&file).expect("a readable file").trunk.conv.weights;
        assert_eq!(weights[..2], [0.0, 0.0]);
        assert_eq!(weights[2..], model.trunk.conv.weights[2..]);
    }
}

/// The message that a bad file gets: one line.
fn refusal(bytes: &[u8]) -> String {
    let why = Model::read(bytes).expect_err("a refusal");
    assert!(!why.is_empty() && !why.contains('\n') && why.len() < 300, "{why}");
    why
}

#[test]
fn broken_files_are_refused_with_one_line() {
    let model = net(15, vec![BlockShape::Ordinary, BlockShape::Pooling], Activation::Relu);
    let file = model.write();
    for part in 0..60 {
        refusal(&file[..file.len() * part / 60]);
        let text = model.write_text();
        refusal(&text[..text.len() * part / 60]);
        let zip = packed(&file);
        refusal(&zip[..zip.len() * part / 60]);
    }
    assert!(refusal(&file[..5000]).contains("ends within its"));
    assert!(refusal(b"").contains("ends too early"));
    assert!(refusal(&[0xff; 300]).contains("no text"));

    let with = |from: &str, to: &str| {
        let at = file
            .windows(from.len())
            .position(|w| w == from.as_bytes())
            .expect("found");
        [&file[..at], to.as_bytes(), &file[at + from.len()..]].concat()
    };
    assert!(refusal(&with("tiny-net\n15", "tiny-net\n7")).contains("version 7 is unknown, expected 8 to 17"));
    assert!(refusal(&with("tiny-net\n15", "tiny-net\n99")).contains("version 99"));
    assert!(refusal(&with("tiny-net\n15\n22", "tiny-net\n15\n23")).contains("inputs 22, expected 23"));
    assert!(refusal(&with("ordinary_block", "strange_block")).contains("'strange_block'"));
    assert!(refusal(&with("ACTIVATION_RELU", "ACTIVATION_SOFT")).contains("'ACTIVATION_SOFT'"));
    // Sizes far beyond the file allocate nothing.
    assert!(refusal(&with("conv1\n3\n3\n22\n12", "conv1\n7999\n7999\n7999\n7999")).contains("announces"));
    // A small packed file may unpack to a large one: no more of it is taken than its head announces.
    let mut large = with("conv1\n3\n3\n22\n12", "conv1\n1999\n1999\n22\n12");
    large.truncate(file.windows(5).position(|w| w == b"@BIN@").expect("weights") + 11);
    large.resize(64 << 20, 0);
    let why = refusal(&packed(&large));
    assert!(why.contains("announces a network of at most"), "{why}");
    assert!(refusal(&with("conv1\n3\n3\n22\n12", "conv1\n3\n3\n22\n99999999999999999999")).contains("a number"));
    let human = with("30\n0\n0\n", "30\n1\n0\n");
    assert!(refusal(&human).contains("human nets"), "{}", refusal(&human));
}

#[test]
fn weights_must_be_finite() {
    let mut model = net(8, vec![BlockShape::Ordinary], Activation::Relu);
    model.trunk.mat.weights[3] = f32::NAN;
    assert!(refusal(&model.write()).contains("ginputw: weight 3 is not finite"));
    assert!(refusal(&model.write_text()).contains("ginputw: weight 3 is not finite"));
    model.trunk.mat.weights[3] = 1e9;
    assert!(refusal(&model.write_half()).contains("ginputw: weight 3 is not finite"));
}

#[test]
fn layers_must_fit() {
    let mut model = net(8, vec![BlockShape::Ordinary], Activation::Relu);
    model.value.bias.weights.pop();
    assert!(refusal(&model.write()).contains("v2/b: weights 9, expected 10"));
    let mut model = net(8, vec![BlockShape::Ordinary], Activation::Relu);
    model.trunk.final_norm = net(8, vec![BlockShape::Ordinary], Activation::Relu).trunk.final_norm;
    model.policy.norm.variance[0] = -1.0;
    assert!(refusal(&model.write()).contains("p1/norm: a variance"));
}

/// All numbers of an output.
fn numbers(o: &Output) -> Vec<f32> {
    let single = [
        o.win,
        o.loss,
        o.no_result,
        o.score_mean,
        o.score_stdev,
        o.lead,
        o.var_time,
        o.short_win,
        o.short_score,
    ];
    [&o.policy[..], &o.optimistic[..], &o.ownership[..], &single[..]].concat()
}

/// Planes like those of a game: mostly zeros, some ones; and a few numbers.
fn inputs(size: (usize, usize), rng: &mut SplitMix) -> (Vec<f32>, Vec<f32>) {
    let planes = (0..22 * size.0 * size.1).map(|_| f32::from(u8::from(rng.below(4) == 0)));
    (planes.collect(), (0..19).map(|_| rng.below(5) as f32 * 0.25).collect())
}

/// Gives every norm of a block weights that matter.
fn disturb(blocks: &mut [Block], rng: &mut SplitMix) {
    let mut change = |n: &mut BatchNorm| {
        let channels = n.mean.len();
        let mut list = |from: f32, spread: f32| -> Vec<f32> {
            (0..channels)
                .map(|_| from + rng.below(1000) as f32 / 1000.0 * spread)
                .collect()
        };
        (n.mean, n.variance) = (list(-0.3, 0.6), list(0.5, 1.0));
        (n.scale, n.bias) = (Some(list(-0.5, 1.5)), Some(list(-0.5, 1.0)));
    };
    for block in blocks.iter_mut() {
        match block {
            Block::Ordinary(b) => [&mut b.norm1, &mut b.norm2].map(&mut change).map(drop),
            Block::Pooling(b) => {
                change(&mut b.pool_norm);
                [&mut b.norm1, &mut b.norm2].map(&mut change).map(drop)
            }
            Block::Nested(b) => [&mut b.norm1, &mut b.norm2].map(&mut change).map(drop),
            _ => continue,
        };
    }
    for block in blocks {
        if let Block::Nested(b) = block {
            disturb(&mut b.blocks, rng);
        }
    }
}

#[test]
fn all_ways_to_run_agree_with_the_plain_one() {
    use BlockShape::{Nested, Ordinary, Pooling};
    let mut rng = SplitMix::new(11);
    let nets = [
        net(8, vec![Ordinary], Activation::Relu),
        net(9, vec![Pooling], Activation::Relu),
        net(11, vec![Nested(vec![Ordinary, Pooling])], Activation::Mish),
        net(
            14,
            vec![Ordinary, Nested(vec![Nested(vec![Pooling]), Ordinary]), Pooling],
            Activation::Mish,
        ),
        net(15, vec![Pooling, Ordinary], Activation::Silu),
        net(16, vec![Ordinary, Pooling], Activation::Identity),
    ];
    for mut model in nets {
        disturb(&mut model.trunk.blocks, &mut rng);
        // Larger and smaller again: what is left from before must not matter.
        let sizes = [
            (9, 9),
            (19, 19),
            (2, 2),
            (5, 5),
            (13, 13),
            (7, 11),
            (25, 25),
            (1, 3),
            (6, 6),
        ];
        compare(&model, &sizes, &mut rng);
    }
}

/// Every way to run a net must agree with the plain one on boards of these sizes, one after the other.
fn compare(model: &Model, sizes: &[(usize, usize)], rng: &mut SplitMix) {
    let runners = [Method::Winograd, Method::Direct].into_iter().flat_map(|method| {
        let net = Arc::new(Net::by(model, method).expect("a net"));
        Simd::available()
            .into_iter()
            .map(move |k| (method, k, Runner::by(net.clone(), k)))
    });
    let mut runners: Vec<_> = runners.collect();
    for &size in sizes {
        let (planes, globals) = inputs(size, rng);
        let (mut want, mut out) = (Output::default(), Output::default());
        reference::run(model, size, &planes, &globals, &mut want);
        for (method, kernel, runner) in &mut runners {
            runner.run(size, &planes, &globals, &mut out);
            assert_eq!(out.policy.len(), size.0 * size.1 + 1);
            for (i, (a, b)) in numbers(&want).iter().zip(numbers(&out)).enumerate() {
                let off = (a - b).abs() / a.abs().max(1.0);
                let what = format!("version {} {size:?} {method:?} {kernel:?}", model.version);
                assert!(off < 1e-4, "{what}: number {i} is {b}, expected {a}");
            }
        }
    }
}

/// In 8-bit integers a net says nearly the same, by every kernel, also where they begin with the first filters, of 5 x 5 in the
/// older version; without activations it says the same, for there nothing is rounded.
#[test]
fn eight_bits_are_near() {
    use BlockShape::{Nested, Ordinary, Pooling};
    let mut rng = SplitMix::new(13);
    for (version, act) in [
        (8, Activation::Relu),
        (15, Activation::Relu),
        (15, Activation::Mish),
        (15, Activation::Silu),
        (15, Activation::Identity),
    ] {
        let mut model = net(version, vec![Ordinary, Pooling, Nested(vec![Ordinary, Pooling])], act);
        disturb(&mut model.trunk.blocks, &mut rng);
        let [floats, bytes] = [Method::Winograd, Method::Quantized].map(|method| {
            let net = Arc::new(Net::by(&model, method).expect("a net"));
            Simd::available().into_iter().map(move |k| Runner::by(net.clone(), k))
        });
        for (mut floats, mut bytes) in floats.zip(bytes) {
            for size in [(9, 9), (19, 19), (2, 3), (13, 13)] {
                let (planes, globals) = inputs(size, &mut rng);
                let (mut want, mut out) = (Output::default(), Output::default());
                floats.run(size, &planes, &globals, &mut want);
                bytes.run(size, &planes, &globals, &mut out);
                let (want, got) = (numbers(&want), numbers(&out));
                let square = |list: &mut dyn Iterator<Item = f32>| list.map(|x| x * x).sum::<f32>().sqrt();
                let off = square(&mut want.iter().zip(&got).map(|(a, b)| a - b)) / square(&mut want.iter().copied());
                if act == Activation::Identity {
                    assert_eq!(want, got, "{size:?}");
                } else {
                    assert!(off > 0.0 && off < 0.02, "{act:?} {size:?}: {off}");
                }
            }
        }
    }
}

/// Attention with every option; `value` and `query` fill no panel, or more than one.
fn attentions() -> Vec<HeadShape> {
    let heads = |queries, keys, (query, value), positions| HeadShape {
        queries,
        keys,
        query,
        value,
        positions,
    };
    vec![
        heads(2, 2, (6, 6), PositionEncoding::Learned),
        heads(6, 2, (16, 19), PositionEncoding::Learned),
        heads(1, 1, (34, 40), PositionEncoding::Learned),
        heads(3, 3, (8, 5), PositionEncoding::Fixed(100.0)),
        heads(4, 2, (10, 16), PositionEncoding::Fixed(10.0)),
        heads(2, 1, (5, 1), PositionEncoding::None),
        heads(4, 4, (16, 32), PositionEncoding::None),
    ]
}

/// Nets of transformer blocks, with every norm at the trunk's end.
fn transformers(rng: &mut SplitMix) -> Vec<Model> {
    use BlockShape::{Attention, FeedForward, Nested, Ordinary};
    let ends = [None, Some(false), Some(true)];
    let kinds = [
        Activation::Silu,
        Activation::Mish,
        Activation::Relu,
        Activation::Identity,
    ];
    let each = attentions().into_iter().enumerate().map(|(i, heads)| {
        let inside = Nested(vec![Attention(heads), FeedForward, Ordinary]);
        let mut model = net(
            if i % 2 == 0 { 15 } else { 17 },
            vec![Attention(heads), FeedForward, inside],
            kinds[i % 4],
        );
        let mut list = |n: usize| {
            (0..n)
                .map(|_| rng.below(1000) as f32 / 500.0 - 0.7)
                .collect::<Vec<f32>>()
        };
        for block in &mut model.trunk.blocks {
            match block {
                Block::Attention(b) => b.norm.scale = list(12),
                Block::FeedForward(b) => b.norm.scale = list(12),
                _ => {}
            }
        }
        if let Some(board) = ends[i % 3] {
            model.trunk.final_norm = TrunkNorm::Rms(RmsNorm {
                name: "trunk/norm".to_string(),
                epsilon: 1e-3,
                board,
                scale: list(12),
                bias: Some(list(12)),
            });
        }
        model
    });
    each.collect()
}

#[test]
fn transformers_agree_with_the_plain_one() {
    let mut rng = SplitMix::new(12);
    for model in transformers(&mut rng) {
        assert!(Model::read(&model.write()).as_ref() == Ok(&model));
        let sizes = [
            (9, 9),
            (19, 19),
            (1, 1),
            (4, 4),
            (7, 11),
            (25, 25),
            (13, 13),
            (1, 3),
            (5, 5),
        ];
        compare(&model, &sizes, &mut rng);
    }
}

#[test]
fn what_takes_the_place_of_a_gate_is_not_known() {
    let mut model = net(17, vec![BlockShape::FeedForward], Activation::Silu);
    let Block::FeedForward(b) = &mut model.trunk.blocks[0] else {
        panic!("another block");
    };
    b.gate = None;
    assert!(Model::read(&model.write()).as_ref() == Ok(&model));
    let why = Net::new(&model).err().expect("a refusal");
    assert_eq!(why, "trunk/b0: feed-forward blocks without a gate are not supported");
}

#[test]
fn heads_must_fit() {
    let all = attentions();
    let broken = |change: &dyn Fn(&mut Attention)| {
        let mut model = net(17, vec![BlockShape::Attention(all[1])], Activation::Silu);
        let Block::Attention(b) = &mut model.trunk.blocks[0] else {
            panic!("another block");
        };
        change(b);
        model.check().expect_err("a refusal")
    };
    assert_eq!(broken(&|b| b.heads = 5), "trunk/b0: the heads do not fit");
    assert_eq!(broken(&|b| b.query = 15), "trunk/b0: the heads do not fit");
    assert_eq!(broken(&|b| b.key_heads = 3), "trunk/b0/k: outputs 32, expected 48");
    assert_eq!(
        broken(&|b| b.value_channels = 18),
        "trunk/b0/v: outputs 38, expected 36"
    );
    let shorten = |b: &mut Attention| {
        if let RotaryEmbedding::Learned { frequencies, .. } = &mut b.rotary {
            frequencies.pop();
        }
    };
    assert_eq!(broken(&shorten), "trunk/b0/rope: weights 31, expected 32");
}
