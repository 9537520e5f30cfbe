//! The forward pass over one position.

use super::attention::AttentionScratch;
use super::direct::{ConvInput, ConvOutput};
use super::gemm::padded;
use super::lanes::{Floats, Simd};
use super::model::Activation;
use super::net::{Filter, Net, PreparedBlock};
use super::output::Output;
use super::points::{ChannelView, NormActivation, activate, gate, tanh};
use super::quantized::QuantizedScratch;
use super::winograd::WinogradScratch;
use std::sync::Arc;

/// Runs a net, one position at a time. It owns scratch buffers: one runner for each thread.
pub struct Runner {
    net: Arc<Net>,
    work: Workspace,
}

/// The scratch buffers and the way to compute.
struct Workspace {
    kernel: Simd,
    size: (usize, usize),
    conv: ConvScratch,
    attention: AttentionScratch,
    zeros: Floats,
    /// What runs through the trunk, and through nested blocks, by depth.
    streams: Vec<Floats>,
    /// What goes into a convolution.
    ready: Floats,
    /// What is between two convolutions.
    inner: Floats,
    pooled: Floats,
    bias: Floats,
}

/// Those of convolutions, by method.
#[derive(Default)]
struct ConvScratch {
    tiles: WinogradScratch,
    quantized: QuantizedScratch,
}

/// The epilogue of a convolution: what is done with its sums.
enum Epilogue<'a> {
    /// They are stored as they are.
    Store,
    /// A bias is added before; and an activation.
    Activate(&'a [f32], Activation),
    /// They are added to what is there.
    Add,
}

/// Runs a filter over `input`, which has a row of `stride` for each point.
fn convolve(
    (kernel, size): (Simd, (usize, usize)),
    filter: &Filter,
    (input, stride): (&[f32], usize),
    (zeros, scratch): (&[f32], &mut ConvScratch),
    output: &mut [f32],
    after: &Epilogue,
) {
    let area = size.0 * size.1;
    let input = ConvInput { data: input, stride };
    let (bias, kind): (&[f32], Activation) = match after {
        Epilogue::Activate(bias, kind) => (bias, *kind),
        Epilogue::Store | Epilogue::Add => (&[], Activation::Identity),
    };
    let stride = filter.outputs();
    let mut target = ConvOutput {
        data: &mut output[..area * stride],
        stride,
        bias,
        relu: kind == Activation::Relu,
        add: matches!(after, Epilogue::Add),
    };
    match filter {
        Filter::Direct(conv) => conv.run(kernel, size, input, zeros, &mut target),
        Filter::Winograd(conv) => conv.run(kernel, size, input, zeros, &mut scratch.tiles, &mut target),
        Filter::Quantized(conv) => conv.run(kernel, size, input, &mut scratch.quantized, &mut target),
    }
    activate(kernel, kind, &mut output[..area * stride]);
}

impl Workspace {
    /// Grows the buffers for boards of this size.
    fn reserve(&mut self, net: &Net, size: (usize, usize)) {
        self.size = size;
        let area = size.0 * size.1;
        for (stream, &channels) in self.streams.iter_mut().zip(&net.depths) {
            stream.reserve(area * channels);
        }
        let widest = net
            .depths
            .iter()
            .fold(net.widest, |a, &b| a.max(b))
            .max(padded(net.spatial));
        self.ready.reserve(area * widest);
        self.inner.reserve(area * widest);
        self.attention.reserve(&net.attention, size);
    }

    /// Makes a stream ready for the next convolution; how many channels that are.
    fn normalise(&mut self, norm: &NormActivation, depth: usize) -> usize {
        let wide = norm.channels();
        let cells = ..self.size.0 * self.size.1 * wide;
        norm.run(self.kernel, &self.streams[depth][cells], &mut self.ready[cells]);
        wide
    }

    fn blocks(&mut self, blocks: &[PreparedBlock], depth: usize) {
        for block in blocks {
            self.block(block, depth);
        }
    }

    fn block(&mut self, block: &PreparedBlock, depth: usize) {
        let (kernel, area) = (self.kernel, self.size.0 * self.size.1);
        let on = (kernel, self.size);
        match block {
            PreparedBlock::Ordinary {
                before,
                conv1,
                bias,
                act,
                conv2,
            } => {
                let wide = self.normalise(before, depth);
                let scratch = (&self.zeros[..], &mut self.conv);
                let after = Epilogue::Activate(bias, *act);
                convolve(on, conv1, (&self.ready, wide), scratch, &mut self.inner, &after);
                let scratch = (&self.zeros[..], &mut self.conv);
                let inner = (&self.inner[..], conv1.outputs());
                convolve(on, conv2, inner, scratch, &mut self.streams[depth], &Epilogue::Add);
            }
            PreparedBlock::Pooling {
                before,
                convs,
                inner,
                pool_bias,
                pool_act,
                pooled,
                mat,
                act,
                conv2,
            } => {
                self.enter(before, convs, depth);
                let stride = convs.outputs();
                let mut pool = ChannelView {
                    data: &mut self.inner[..area * stride],
                    stride,
                    from: padded(*inner),
                    channels: *pooled,
                };
                pool.activate(kernel, pool_bias, *pool_act);
                pool.pool(kernel, false, &mut self.pooled);
                mat.run(kernel, &self.pooled[..3 * pooled], &mut self.bias[..mat.room()]);
                let mut middle = ChannelView {
                    data: &mut self.inner[..area * stride],
                    stride,
                    from: 0,
                    channels: *inner,
                };
                middle.activate(kernel, &self.bias, *act);
                let scratch = (&self.zeros[..], &mut self.conv);
                let inner = (&self.inner[..], stride);
                convolve(on, conv2, inner, scratch, &mut self.streams[depth], &Epilogue::Add);
            }
            PreparedBlock::Nested {
                before,
                down,
                blocks,
                after,
                up,
            } => {
                let wide = self.normalise(before, depth);
                let scratch = (&self.zeros[..], &mut self.conv);
                let below = &mut self.streams[depth + 1];
                convolve(on, down, (&self.ready, wide), scratch, below, &Epilogue::Store);
                self.blocks(blocks, depth + 1);
                let wide = self.normalise(after, depth + 1);
                self.leave(up, wide, depth);
            }
            PreparedBlock::Attention {
                before,
                project,
                heads,
                out,
            } => {
                self.enter(before, project, depth);
                let wide = heads.outputs();
                let (rows, mixed) = (
                    &mut self.inner[..area * project.outputs()],
                    &mut self.ready[..area * wide],
                );
                heads.run(kernel, self.size, &mut self.attention, rows, mixed);
                self.leave(out, wide, depth);
            }
            PreparedBlock::FeedForward { before, up, down } => {
                self.enter(before, up, depth);
                let wide = up.outputs() / 2;
                gate(
                    kernel,
                    wide,
                    &self.inner[..2 * area * wide],
                    &mut self.ready[..area * wide],
                );
                self.leave(down, wide, depth);
            }
        }
    }

    /// Takes a stream through a norm and a filter into the inner layer.
    fn enter(&mut self, before: &NormActivation, filter: &Filter, depth: usize) {
        let wide = self.normalise(before, depth);
        let (on, scratch) = ((self.kernel, self.size), (&self.zeros[..], &mut self.conv));
        convolve(
            on,
            filter,
            (&self.ready, wide),
            scratch,
            &mut self.inner,
            &Epilogue::Store,
        );
    }

    /// Adds what is ready, so wide, to a stream, through a filter.
    fn leave(&mut self, filter: &Filter, wide: usize, depth: usize) {
        let (on, scratch) = ((self.kernel, self.size), (&self.zeros[..], &mut self.conv));
        convolve(
            on,
            filter,
            (&self.ready, wide),
            scratch,
            &mut self.streams[depth],
            &Epilogue::Add,
        );
    }

    fn heads(&mut self, net: &Net, out: &mut Output) {
        let (kernel, area) = (self.kernel, self.size.0 * self.size.1);
        let wide = self.normalise(&net.final_norm, 0);
        let scratch = (&self.zeros[..], &mut self.conv);
        let on = (kernel, self.size);
        convolve(
            on,
            &net.heads,
            (&self.ready, wide),
            scratch,
            &mut self.inner,
            &Epilogue::Store,
        );

        let (p, v) = (&net.policy, &net.value);
        let stride = net.heads.outputs();
        let mut region = ChannelView {
            data: &mut self.inner[..area * stride],
            stride,
            from: padded(p.inner),
            channels: p.pooled,
        };
        region.activate(kernel, &p.pool_bias, p.pool_act);
        region.pool(kernel, false, &mut self.pooled);
        let pooled = &self.pooled[..3 * p.pooled];
        p.mat.run(kernel, pooled, &mut self.bias[..p.mat.room()]);
        region.from = 0;
        region.channels = p.inner;
        region.activate(kernel, &self.bias, p.act);
        out.policy.clear();
        region.project(kernel, &p.last, &mut out.policy);
        out.optimistic.clear();
        if let Some(last) = &p.optimistic {
            region.project(kernel, last, &mut out.optimistic);
        }
        p.pass.run(kernel, pooled, &mut self.bias[..p.pass.room()]);
        let mut passes = &self.bias[..];
        if let Some((act, mat)) = &p.tail {
            let (inner, rest) = self.bias.split_at_mut(p.pass.room());
            let inner = &mut inner[..p.pass.outputs()];
            inner.iter_mut().for_each(|x| *x = act.of(*x));
            mat.run(kernel, inner, &mut rest[..mat.room()]);
            passes = rest;
        }
        out.policy.push(passes[0]);
        if p.optimistic.is_some() {
            out.optimistic.push(passes[1]);
        }

        region.from = padded(p.inner) + padded(p.pooled);
        region.channels = v.inner;
        region.activate(kernel, &v.bias, v.act);
        region.pool(kernel, true, &mut self.pooled);
        out.ownership.clear();
        region.project(kernel, &v.own, &mut out.ownership);
        tanh(kernel, &mut out.ownership);
        let (inner, rest) = self.bias.split_at_mut(v.mat.room());
        v.mat.run(kernel, &self.pooled[..3 * v.inner], inner);
        let inner = &mut inner[..v.mat.outputs()];
        inner.iter_mut().for_each(|x| *x = v.act2.of(*x));
        let (value, rest) = rest.split_at_mut(v.value.room());
        v.value.run(kernel, inner, value);
        v.score.run(kernel, inner, &mut rest[..v.score.room()]);
        out.set_value_head(net.version, &net.scales, &value[..3], &rest[..v.score.outputs()]);
    }
}

impl Runner {
    /// A runner with scratch buffers of its own, by the fastest kernel of this processor.
    pub fn new(net: Arc<Net>) -> Self {
        Self::by(net, Simd::best())
    }

    /// As [`new`](Self::new), by a kernel.
    pub fn by(net: Arc<Net>, kernel: Simd) -> Self {
        let widest = net
            .depths
            .iter()
            .fold(net.widest, |a, &b| a.max(b))
            .max(padded(net.spatial));
        let rooms = [
            net.mat.room(),
            net.policy.mat.room(),
            net.policy.pass.room(),
            net.value.mat.room(),
            widest,
        ];
        let room = rooms.iter().sum::<usize>() + 64;
        let work = Workspace {
            kernel,
            size: (0, 0),
            conv: ConvScratch::default(),
            attention: AttentionScratch::default(),
            zeros: Floats::zeros(widest),
            streams: vec![Floats::default(); net.depths.len()],
            ready: Floats::default(),
            inner: Floats::default(),
            pooled: Floats::zeros(3 * widest),
            bias: Floats::zeros(room),
        };
        Self { net, work }
    }

    /// The net.
    pub fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// Evaluates a position on a board of `size`, width and height. The planes are one after the other, each row
    /// by row; of too few numbers the rest counts as 0. Allocates only when the board is larger than all before.
    pub fn run(&mut self, size: (usize, usize), spatial: &[f32], globals: &[f32], out: &mut Output) {
        let (net, work) = (&*self.net, &mut self.work);
        work.reserve(net, size);
        let area = size.0 * size.1;
        let wide = padded(net.spatial);
        let input = &mut work.ready[..area * wide];
        input.fill(0.0);
        for (plane, cells) in spatial.chunks_exact(area.max(1)).take(net.spatial).enumerate() {
            for (point, &x) in cells.iter().enumerate() {
                input[point * wide + plane] = x;
            }
        }
        let globals = &globals[..globals.len().min(net.globals)];
        net.mat.run(work.kernel, globals, &mut work.bias[..net.mat.room()]);
        let scratch = (&work.zeros[..], &mut work.conv);
        let after = Epilogue::Activate(&work.bias, Activation::Identity);
        convolve(
            (work.kernel, size),
            &net.first,
            (&work.ready, wide),
            scratch,
            &mut work.streams[0],
            &after,
        );
        work.blocks(&net.blocks, 0);
        work.heads(net, out);
    }
}
