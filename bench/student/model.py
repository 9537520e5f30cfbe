"""Networks in KataGo's file format (versions 8 to 14; convolutional ones): reading, writing, and the forward pass in PyTorch.

A model is a tree of dictionaries and lists in the order of the file, so that `tensors` finds every weight in it. Batch
normalisation is read as one scale and one shift a channel. The format is that of KataGo's `desc.cpp`; the forward pass
follows its `cpp/neuralnet/eigenbackend.cpp`. `src/eval/conv` has the same in Rust.
"""

import gzip
import io

import numpy as np
import torch
import torch.nn.functional as F

RELU, MISH, SILU = "ACTIVATION_RELU", "ACTIVATION_MISH", "ACTIVATION_SILU"


class Reader:
    """The fields of a file in order: words between white space, and floats in binary behind a tag."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def word(self):
        while self.data[self.at] in b" \n\r\t":
            self.at += 1
        start = self.at
        while self.data[self.at] not in b" \n\r\t":
            self.at += 1
        return self.data[start : self.at].decode()

    def int(self):
        return int(self.word())

    def floats(self, n):
        while self.data[self.at] in b" \n\r\t":
            self.at += 1
        tag = self.data[self.at : self.at + 5]
        kind = {b"@BIN@": "<f4", b"@F16@": "<f2"}.get(tag)
        if kind is None:
            raise ValueError(f"weights begin with {tag!r}; expected @BIN@ or @F16@")
        values = np.frombuffer(self.data, kind, n, self.at + 5)
        self.at += 5 + values.nbytes
        return values.astype("f4")


def read(path):
    """The model in a file, gzipped or not."""
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    r = Reader(data)
    model = dict(name=r.word(), version=r.int(), spatial=r.int(), globals=r.int())
    version = model["version"]
    if not 8 <= version <= 14:
        raise ValueError(f"{path} is of version {version}; expected 8 to 14")
    # td score, score mean, score deviation, lead, variance of time, errors of value and score
    model["scales"] = [float(r.word()) for _ in range(7)] if version >= 13 else [20, 20, 20, 20, 40, 0.25, 30]

    def conv():
        name = r.word()
        h, w, inputs, outputs, *dilation = [r.int() for _ in range(6)]
        weights = torch.tensor(r.floats(h * w * inputs * outputs).reshape(h, w, inputs, outputs))
        return dict(name=name, dilation=tuple(dilation), w=weights.permute(3, 2, 0, 1).contiguous())

    def norm():
        name, channels, epsilon = r.word(), r.int(), float(r.word())
        has_scale, has_shift = r.int(), r.int()
        mean, variance = (r.floats(channels).astype("f8") for _ in range(2))
        scale = r.floats(channels).astype("f8") if has_scale else np.ones(channels)
        shift = r.floats(channels).astype("f8") if has_shift else np.zeros(channels)
        scale = scale / np.sqrt(variance + epsilon)
        return dict(name=name, scale=torch.tensor(scale.astype("f4")), shift=torch.tensor((shift - scale * mean).astype("f4")))

    def matrix():
        name, inputs, outputs = r.word(), r.int(), r.int()
        return dict(name=name, w=torch.tensor(r.floats(inputs * outputs).reshape(inputs, outputs)))

    def bias():
        name, n = r.word(), r.int()
        return dict(name=name, w=torch.tensor(r.floats(n)))

    def activation():
        name = r.word()
        return dict(name=name, kind=r.word() if version >= 11 else RELU)

    def block():
        kind = r.word()
        b = dict(kind=kind, name=r.word())
        inner = r.int() if kind == "nested_bottleneck_block" else 0
        b.update(norm1=norm(), act1=activation(), conv1=conv())
        if kind == "gpool_block":
            b.update(pool_conv=conv(), pool_norm=norm(), pool_act=activation(), pool_matrix=matrix())
        elif kind == "nested_bottleneck_block":
            b["inner"] = [block() for _ in range(inner)]
        elif kind != "ordinary_block":
            raise ValueError(f"{path} has a {kind}; expected ordinary, gpool or nested_bottleneck blocks")
        b.update(norm2=norm(), act2=activation(), conv2=conv())
        return b

    name, blocks, channels = r.word(), r.int(), r.int()
    trunk = dict(name=name, channels=channels, stated=[r.int() for _ in range(4)])
    trunk.update(conv=conv(), matrix=matrix(), blocks=[block() for _ in range(blocks)], norm=norm(), act=activation())
    policy = dict(name=r.word(), conv=conv(), pool_conv=conv(), pool_norm=norm(), pool_act=activation(), pool_matrix=matrix())
    policy.update(norm=norm(), act=activation(), out=conv(), passing=matrix())
    value = dict(name=r.word(), conv=conv(), norm=norm(), act=activation(), hidden=matrix(), bias=bias(), hidden_act=activation())
    value.update(value=matrix(), value_bias=bias(), score=matrix(), score_bias=bias(), ownership=conv())
    model.update(trunk=trunk, policy=policy, value=value)
    return model


def write(model, path, half=False):
    """Writes a model; the weights in half floats if so wanted, which this project's engines read and KataGo does not."""
    out = io.BytesIO()

    def words(*items):
        out.write("".join(f"{x}\n" for x in items).encode())

    def floats(x):
        out.write(b"@F16@" if half else b"@BIN@")
        out.write(np.ascontiguousarray(x.detach().float().cpu().numpy(), "<f2" if half else "<f4").tobytes() + b"\n")

    def conv(c):
        outputs, inputs, h, w = c["w"].shape
        words(c["name"], h, w, inputs, outputs, *c["dilation"])
        floats(c["w"].permute(2, 3, 1, 0))

    def norm(n):
        channels = len(n["scale"])
        words(n["name"], channels, "1e-20", 1, 1)
        for x in (torch.zeros(channels), torch.ones(channels), n["scale"], n["shift"]):
            floats(x)

    def activation(a):
        words(a["name"], *([a["kind"]] if model["version"] >= 11 else []))

    def matrix(m):
        words(m["name"], *m["w"].shape)
        floats(m["w"])

    def block(b):
        words(b["kind"], b["name"], *([len(b["inner"])] if "inner" in b else []))
        norm(b["norm1"]), activation(b["act1"]), conv(b["conv1"])
        for inner in b.get("inner", []):
            block(inner)
        if "pool_conv" in b:
            conv(b["pool_conv"]), norm(b["pool_norm"]), activation(b["pool_act"]), matrix(b["pool_matrix"])
        norm(b["norm2"]), activation(b["act2"]), conv(b["conv2"])

    words(model["name"], model["version"], model["spatial"], model["globals"])
    if model["version"] >= 13:
        words(*model["scales"])
    trunk, policy, value = model["trunk"], model["policy"], model["value"]
    words(trunk["name"], len(trunk["blocks"]), trunk["channels"], *trunk["stated"])
    conv(trunk["conv"]), matrix(trunk["matrix"])
    for b in trunk["blocks"]:
        block(b)
    norm(trunk["norm"]), activation(trunk["act"])
    words(policy["name"])
    conv(policy["conv"]), conv(policy["pool_conv"]), norm(policy["pool_norm"]), activation(policy["pool_act"])
    matrix(policy["pool_matrix"]), norm(policy["norm"]), activation(policy["act"]), conv(policy["out"])
    matrix(policy["passing"])
    words(value["name"])
    conv(value["conv"]), norm(value["norm"]), activation(value["act"]), matrix(value["hidden"]), matrix_bias(words, floats, value["bias"])
    activation(value["hidden_act"]), matrix(value["value"]), matrix_bias(words, floats, value["value_bias"])
    matrix(value["score"]), matrix_bias(words, floats, value["score_bias"]), conv(value["ownership"])
    with open(path, "wb") as f:
        f.write(gzip.compress(out.getvalue(), 9, mtime=0))


def matrix_bias(words, floats, bias):
    words(bias["name"], len(bias["w"]))
    floats(bias["w"])


def tensors(model):
    """Every weight in place: pairs of the dictionary that holds it and its key there."""
    found = []

    def walk(x):
        for key, y in x.items() if isinstance(x, dict) else enumerate(x):
            if isinstance(y, torch.Tensor):
                found.append((x, key))
            elif isinstance(y, (dict, list)):
                walk(y)

    walk(model)
    return found


def move(model, device, dtype):
    """Moves all weights to a device, those of convolutions with the channels last; they take this type, the others float32."""
    for holder, key in tensors(model):
        x = holder[key].to(device=device)
        conv = x.dim() == 4
        holder[key] = x.to(dtype=dtype, memory_format=torch.channels_last) if conv else x.float()


def activate(x, kind):
    return {RELU: F.relu, MISH: F.mish, SILU: F.silu}.get(kind, lambda x: x)(x)


def scale_shift_activate(x, norm, act):
    scale, shift = (norm[k].to(x.dtype)[None, :, None, None] for k in ("scale", "shift"))
    return activate(x * scale + shift, act["kind"])


def convolve(x, conv):
    weights = conv["w"].to(x.dtype)
    padding = tuple(k // 2 * d for k, d in zip(weights.shape[2:], conv["dilation"]))
    return F.conv2d(x, weights, padding=padding, dilation=conv["dilation"])


def pool(x, value=False):
    """Mean, mean by the board's side, and maximum; for the value mean by its side squared."""
    side = (x.shape[2] * x.shape[3]) ** 0.5 - 14
    mean = x.float().mean((2, 3))
    last = mean * (side * side * 0.01 - 0.1) if value else x.amax((2, 3)).float()
    return torch.cat([mean, mean * (side * 0.1), last], 1)


def product(x, matrix):
    return x.float() @ matrix["w"].float()


def forward(model, planes, numbers, normed=scale_shift_activate):
    """Evaluates a batch: planes `[n, 22, h, w]`, numbers `[n, 19]`.

    Returns logits of the policy `[n, h * w + 1]` (the pass last) and of the outcome `[n, 3]` (win, loss, no result, of the
    side to move), the raw scores `[n, 4 or more]` (mean, deviation before softplus, lead) and the ownership before tanh
    `[n, h * w]`. `normed` applies a normalisation and an activation.
    """

    def spread(x, like):
        return x.to(like.dtype)[:, :, None, None]

    def block(x, b):
        inside = normed(x, b["norm1"], b["act1"])
        y = convolve(inside, b["conv1"])
        if "pool_conv" in b:
            pooled = pool(normed(convolve(inside, b["pool_conv"]), b["pool_norm"], b["pool_act"]))
            y = y + spread(product(pooled, b["pool_matrix"]), y)
        for inner in b.get("inner", []):
            y = block(y, inner)
        return x + convolve(normed(y, b["norm2"], b["act2"]), b["conv2"])

    trunk, policy, value = model["trunk"], model["policy"], model["value"]
    x = convolve(planes, trunk["conv"])
    x = x + spread(product(numbers, trunk["matrix"]), x)
    for b in trunk["blocks"]:
        x = block(x, b)
    x = normed(x, trunk["norm"], trunk["act"])
    pooled = pool(normed(convolve(x, policy["pool_conv"]), policy["pool_norm"], policy["pool_act"]))
    y = convolve(x, policy["conv"])
    y = normed(y + spread(product(pooled, policy["pool_matrix"]), y), policy["norm"], policy["act"])
    moves = convolve(y, policy["out"])[:, 0].flatten(1).float()
    moves = torch.cat([moves, product(pooled, policy["passing"])[:, :1]], 1)
    v = normed(convolve(x, value["conv"]), value["norm"], value["act"])
    hidden = activate(product(pool(v, True), value["hidden"]) + value["bias"]["w"].float(), value["hidden_act"]["kind"])
    outcome = product(hidden, value["value"]) + value["value_bias"]["w"].float()
    score = product(hidden, value["score"]) + value["score_bias"]["w"].float()
    return moves, outcome, score, convolve(v, value["ownership"])[:, 0].flatten(1).float()
