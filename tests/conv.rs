//! Convolutional nets: the file format, and the forward pass against a plain reference.

use nguky::eval::conv::Model;
use nguky::eval::conv::fresh::{Layer, Shape};
use nguky::eval::conv::model::Kind;
use std::io::Write;

/// A small net of some blocks.
fn net(version: u32, blocks: Vec<Layer>, act: Kind) -> Model {
    let shape = Shape {
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
    Model::fresh("tiny-net", &shape, 7)
}

/// Nets of every version and kind of block.
fn nets() -> Vec<Model> {
    use Layer::{Attention, FeedForward, Nested, Ordinary, Pooling};
    let inside = || Nested(vec![Ordinary, Pooling]);
    let mut nets: Vec<Model> = Model::VERSIONS
        .map(|version| net(version, vec![Ordinary, Pooling, inside()], Kind::Mish))
        .collect();
    nets.push(net(
        17,
        vec![Attention(2), FeedForward, Nested(vec![Attention(3), FeedForward])],
        Kind::Silu,
    ));
    nets
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

/// The message that a bad file gets: one line.
fn refusal(bytes: &[u8]) -> String {
    let why = Model::read(bytes).expect_err("a refusal");
    assert!(!why.is_empty() && !why.contains('\n') && why.len() < 300, "{why}");
    why
}

#[test]
fn broken_files_are_refused_with_one_line() {
    let model = net(15, vec![Layer::Ordinary, Layer::Pooling], Kind::Relu);
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
    assert!(refusal(&with("conv1\n3\n3\n22\n12", "conv1\n7999\n7999\n7999\n7999")).contains("ends within"));
    assert!(refusal(&with("conv1\n3\n3\n22\n12", "conv1\n3\n3\n22\n99999999999999999999")).contains("a number"));
    let human = with("30\n0\n0\n", "30\n1\n0\n");
    assert!(refusal(&human).contains("human nets"), "{}", refusal(&human));
}

#[test]
fn weights_must_be_finite() {
    let mut model = net(8, vec![Layer::Ordinary], Kind::Relu);
    model.trunk.mat.weights[3] = f32::NAN;
    assert!(refusal(&model.write()).contains("ginputw: weight 3 is not finite"));
    assert!(refusal(&model.write_text()).contains("ginputw: weight 3 is not finite"));
    model.trunk.mat.weights[3] = 1e9;
    assert!(refusal(&model.write_half()).contains("ginputw: weight 3 is not finite"));
}

#[test]
fn layers_must_fit() {
    let mut model = net(8, vec![Layer::Ordinary], Kind::Relu);
    model.value.bias.weights.pop();
    assert!(refusal(&model.write()).contains("v2/b: weights 9, expected 10"));
    let mut model = net(8, vec![Layer::Ordinary], Kind::Relu);
    model.trunk.tip = net(8, vec![Layer::Ordinary], Kind::Relu).trunk.tip;
    model.policy.norm.variance[0] = -1.0;
    assert!(refusal(&model.write()).contains("p1/norm: a variance"));
}
