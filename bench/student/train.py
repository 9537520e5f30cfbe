"""Trains a network of go as the student of a stronger one, on a GPU: see "Students on a GPU" in bench/README.md.

Two actors (`nguky actor`) play many games at a time; while one of them thinks, the other's positions are evaluated here
by the teacher, which labels them, and by the student. Playing and training take turns; what was played stays.
"""

import argparse
import copy
import math
import os
import subprocess
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

import model as networks

PLANES, NUMBERS = 22, 21
# Points of the unit in which students of version 8 tell scores.
POINTS = 20
# One game in so many is kept for validation.
HELD = 100

START = time.time()


def say(*items):
    print(f"{time.time() - START:7.1f}", *items, flush=True)


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--teacher", required=True, help="the network that labels, in KataGo's format")
    p.add_argument("--student", required=True, help="the network to begin with (version 8)")
    p.add_argument("--blocks", type=int, help="blocks of the student, new ones between those it has; they add nothing at first")
    p.add_argument("--name", default="student", help="the name to write into the file")
    p.add_argument("--out", required=True, help="the file to write; also written after each round")
    p.add_argument("--half", action="store_true", help="write half floats")
    p.add_argument("--rounds", default="120:60,120:300", help="seconds of play and of training (of each network), by turns")
    p.add_argument("--nguky", default="target/release/nguky", help="the program that plays")
    p.add_argument("--games", type=int, default=3072, help="games at a time of each of the two actors")
    p.add_argument("--nodes", type=int, default=16, help="evaluations a move")
    p.add_argument("--led", type=int, default=50, help="games in a hundred that the student leads")
    p.add_argument("--sizes", default="9:2,13:1,19:1", help="boards with their shares")
    p.add_argument("--threads", type=int, default=4, help="threads of each actor")
    p.add_argument("--batch", type=int, default=1024, help="positions of 19 x 19 a batch; smaller boards come in larger batches")
    p.add_argument("--rate", type=float, default=0.002, help="rate of learning after the first 300 steps; it falls as a cosine")
    p.add_argument(
        "--weights",
        action="append",
        help="weights of the losses of policy, value, ownership and score (default 1,1.5,1,1); given again, another network"
        " is trained on the same positions, by turns, and written beside the first with a number; the first one leads games",
    )
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


def unpack(bits, size, dtype):
    """Planes `[n, 22, size, size]` and legal points `[n, size * size]` of the actor's bits."""
    each = torch.arange(8, device=bits.device, dtype=torch.uint8)
    area = size * size
    planes = ((bits[:, :, None] >> each) & 1).view(len(bits), -1)[:, : (PLANES + 1) * area].view(-1, PLANES + 1, size, size)
    return planes[:, :PLANES].to(dtype).contiguous(memory_format=torch.channels_last), planes[:, PLANES].flatten(1).bool()


def fused():
    """Normalisation and activation in one kernel, for evaluations; none where there is no Triton."""
    try:
        import triton
        import triton.language as tl
    except ImportError:
        return None

    @triton.jit
    def kernel(x, scale, shift, y, n, channels, ACT: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        mask = i < n
        c = (i % channels).to(tl.int32)
        v = tl.load(x + i, mask=mask).to(tl.float32) * tl.load(scale + c) + tl.load(shift + c)
        if ACT == 1:
            v = tl.maximum(v, 0.0)
        elif ACT == 2:  # mish: x tanh(ln(1 + e^x)), by e^x alone
            e = tl.exp(tl.minimum(v, 20.0))
            w = e * (e + 2.0)
            v = tl.where(v > 20.0, v, v * w / (w + 2.0))
        elif ACT == 3:
            v = v / (1.0 + tl.exp(-v))
        tl.store(y + i, v.to(y.dtype.element_ty), mask=mask)

    kinds = {networks.RELU: 1, networks.MISH: 2, networks.SILU: 3}

    def normed(x, norm, act):
        assert x.is_contiguous(memory_format=torch.channels_last)
        y, n = torch.empty_like(x), x.numel()
        scale, shift = norm["scale"].float(), norm["shift"].float()
        kernel[((n + 2047) // 2048,)](x, scale, shift, y, n, x.shape[1], kinds.get(act["kind"], 0), 2048)
        return y

    return normed


class Evaluator:
    """A network for evaluations in half precision."""

    def __init__(self, model, device):
        self.model = copy.deepcopy(model)
        self.dtype = torch.float16 if device.type == "cuda" else torch.float32
        networks.move(self.model, device, self.dtype)
        self.normed = (fused() if device.type == "cuda" else None) or networks.scale_shift_activate

    @torch.no_grad()
    def outputs(self, planes, legal, numbers):
        """Policy over the legal moves `[n, area + 1]`; win, lead and deviation `[n, 3]`; ownership `[n, area]`."""
        policy, outcome, score, own = networks.forward(self.model, planes, numbers[:, :19], self.normed)
        policy = policy.masked_fill(~F.pad(legal, (0, 1), value=True), -1e9).softmax(1)
        # A game without result counts as a draw, where the rules know one.
        outcome[:, 2] = torch.where(numbers[:, 19] > 0, outcome[:, 2], -1e9)
        win, _, none = outcome.softmax(1).unbind(1)
        scales = self.model["scales"]
        lead = score[:, 2] * scales[3] * (1 - none)
        deviation = F.softplus(score[:, 1]) * scales[2]
        return policy.half(), torch.stack([win + none / 2, lead, deviation], 1), own.tanh()

    def check(self, planes, legal, numbers):
        """Says how far half precision is from float32 on some positions."""
        whole = copy.deepcopy(self.model)
        networks.move(whole, planes.device, torch.float32)
        exact = networks.forward(whole, planes.float(), numbers[:, :19])
        got = networks.forward(self.model, planes, numbers[:, :19], self.normed)
        say("half precision differs by", [round((a - b).abs().mean().item(), 4) for a, b in zip(exact, got)])


class Positions:
    """Labelled positions of one size on the device."""

    KEYS = ("bits", "numbers", "policy", "value", "own")

    def __init__(self):
        self.parts, self.held_parts, self.data, self.held = [], [], None, None

    def add(self, *columns):
        """Adds a step's positions. The first games of a step are always the same ones: those are held out."""
        held = max(1, len(columns[0]) // HELD)
        self.held_parts.append([c[:held] for c in columns])
        self.parts.append([c[held:] for c in columns])

    def join(self):
        """Makes what was added ready to be drawn."""

        def joined(old, parts):
            columns = zip(*([list(old.values())] if old else []), *parts)
            return dict(zip(self.KEYS, (torch.cat(c) for c in columns)))

        if self.parts:
            self.data, self.held = joined(self.data, self.parts), joined(self.held, self.held_parts)
            self.parts, self.held_parts = [], []

    def __len__(self):
        return len(self.data["bits"]) if self.data else 0


class Actor:
    """A process that plays."""

    def __init__(self, args, sizes, number):
        words = f"actor --games {args.games} --nodes {args.nodes} --sizes {args.sizes} --student {args.led}"
        words += f" --threads {args.threads} --seed {1000 * args.seed + number}"
        pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process = subprocess.Popen([args.nguky, *words.split()], **pipes)
        self.sizes = sizes

    def bytes(self, shape, kind):
        n = int(np.prod(shape)) * np.dtype(kind).itemsize
        data = self.process.stdout.read(n)
        if len(data) < n:
            raise SystemExit("an actor ended")
        return torch.from_numpy(np.frombuffer(bytearray(data), kind).reshape(shape))

    def positions(self):
        """A step's positions by size: bits and numbers."""
        counts = self.bytes((len(self.sizes),), "<u4").tolist()
        row = lambda size: ((PLANES + 1) * size * size + 7) // 8
        return {s: (self.bytes((n, row(s)), "u1"), self.bytes((n, NUMBERS), "<f4")) for s, n in zip(self.sizes, counts)}

    def answer(self, replies):
        """Sends policies (half floats) and chances to win, in the order of the sizes."""
        for policy, win in replies:
            self.process.stdin.write(policy.contiguous().cpu().numpy().tobytes())
            self.process.stdin.write(win.float().contiguous().cpu().numpy().tobytes())
        self.process.stdin.flush()


def play(actors, seconds, teacher, student, positions, device, check):
    """Labels what the actors ask for."""
    end, steps, start = time.time() + seconds, 0, time.time()
    while time.time() < end:
        for actor in actors:
            replies = []
            for size, (bits, numbers) in actor.positions().items():
                bits, numbers = bits.to(device), numbers.to(device)
                planes, legal = unpack(bits, size, teacher.dtype)
                if check and steps == 0 and actor is actors[0]:
                    teacher.check(planes[:16], legal[:16], numbers[:16])
                policy, value, own = teacher.outputs(planes, legal, numbers)
                positions[size].add(bits, numbers, policy, value, (own * 127).round().to(torch.int8))
                led = numbers[:, 20] > 0
                theirs, worth, _ = student.outputs(planes, legal, numbers)
                replies.append((torch.where(led[:, None], theirs, policy), torch.where(led, worth[:, 0], value[:, 0])))
            actor.answer(replies)
        steps += 1
    for p in positions.values():
        p.join()
    say("positions", {s: len(p) for s, p in positions.items()}, f"{steps} steps in {time.time() - start:.0f} s")


def turned(x, k):
    """One of the eight symmetries of the last two dimensions."""
    x = x.transpose(-1, -2) if k & 4 else x
    x = x.flip(-1) if k & 1 else x
    return x.flip(-2) if k & 2 else x


def batch(data, index, size, k, dtype):
    """Inputs and targets of some positions in one of the eight views."""
    planes, _ = unpack(data["bits"][index], size, dtype)
    policy = data["policy"][index].float()
    policy = policy / policy.sum(1, keepdim=True)
    board = turned(policy[:, :-1].view(-1, size, size), k).flatten(1)
    own = turned(data["own"][index].view(-1, size, size), k).flatten(1).float() / 127
    planes = turned(planes, k).contiguous(memory_format=torch.channels_last)
    return planes, data["numbers"][index, :19], torch.cat([board, policy[:, -1:]], 1), data["value"][index], own


def losses(student, planes, numbers, policy, value, own):
    """Of each position: losses of policy, value, ownership and score; whether the likeliest move is the teacher's; and the
    square of the win probability's error."""
    moves, outcome, score, owner = networks.forward(student, planes, numbers)
    win = torch.stack([value[:, 0], 1 - value[:, 0], torch.zeros_like(value[:, 0])], 1)
    huber = lambda x, y: F.huber_loss(x, y / POINTS, reduction="none", delta=0.6)
    scores = 0.5 * huber(score[:, 0], value[:, 1]) + 0.5 * huber(score[:, 2], value[:, 1])
    return (
        -(policy * moves.log_softmax(1)).sum(1),
        -(win * outcome.log_softmax(1)).sum(1),
        F.binary_cross_entropy_with_logits(2 * owner, 0.5 + 0.5 * own, reduction="none").mean(1),
        scores + 0.2 * huber(F.softplus(score[:, 1]), value[:, 2]),
        (moves.argmax(1) == policy.argmax(1)).float(),
        (outcome.softmax(1)[:, 0] - value[:, 0]) ** 2,
    )


def deepened(model, blocks):
    """The model with more ordinary blocks, one more before each of its own from the front; new ones add nothing yet."""
    trunk, channels = model["trunk"], model["trunk"]["channels"]
    like = next(b for b in trunk["blocks"] if b["kind"] == "ordinary_block")
    generator, at = torch.Generator().manual_seed(7), 0
    while len(trunk["blocks"]) < blocks:
        new = copy.deepcopy(like)
        for norm in (new["norm1"], new["norm2"]):
            norm["scale"].fill_(1), norm["shift"].zero_()
        new["conv1"]["w"] = torch.randn(channels, channels, 3, 3, generator=generator) * (2 / (9 * channels)) ** 0.5
        new["conv2"]["w"] = torch.zeros(channels, channels, 3, 3)
        trunk["blocks"].insert(at, new)
        at = (at + 2) % len(trunk["blocks"])
    for i, b in enumerate(trunk["blocks"]):
        for part in (x for x in b.values() if isinstance(x, dict)):
            part["name"] = f"block{i}/{part['name'].split('/')[-1]}"
        b["name"] = f"block{i}"
    return model


class Trainer:
    """The student, its optimiser and the running mean of its weights, which is what counts."""

    def __init__(self, args, weights, seconds, device):
        self.args, self.seconds, self.device = args, seconds, device
        self.loss_weights = [float(x) for x in weights.split(",")]
        if len(self.loss_weights) != 4:
            raise SystemExit(f"--weights {weights}: expected four numbers, as in 1,1.5,1,1")
        self.dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
        self.student = networks.read(args.student)
        if args.blocks:
            deepened(self.student, args.blocks)
        self.student["name"] = args.name
        networks.move(self.student, device, torch.float32)
        self.places = networks.tensors(self.student)
        self.weights = [holder[key].requires_grad_(True) for holder, key in self.places]
        self.mean = [w.detach().clone() for w in self.weights]
        groups = [
            dict(params=[w for w in self.weights if w.dim() > 1], weight_decay=0.01),
            dict(params=[w for w in self.weights if w.dim() == 1], weight_decay=0),
        ]
        self.optimiser = torch.optim.AdamW(groups, lr=args.rate, betas=(0.9, 0.98), fused=device.type == "cuda")
        self.random, self.orders = np.random.RandomState(args.seed), {}
        self.spent, self.steps, self.views = 0, 0, 0

    def averaged(self):
        """A copy of the student with the mean weights."""
        result = copy.deepcopy(self.student)
        for (holder, key), mean in zip(networks.tensors(result), self.mean):
            holder[key] = mean.clone()
        return result

    def draw(self, positions, size):
        """The next batch of a size, in an order of its own for each pass."""
        p, n = positions[size], max(8, self.args.batch * 361 // (size * size))
        order, at = self.orders.get(size, (None, 0))
        if order is None or at + n > len(order):
            order, at = torch.randperm(len(p), device=self.device), 0
        self.orders[size] = (order, at + n)
        return batch(p.data, order[at : at + n], size, self.random.randint(8), self.dtype)

    def train(self, positions, seconds):
        """Trains for some seconds; the rate depends on the share of all seconds that is over."""
        self.orders.clear()
        sizes = list(positions)
        share = np.array([len(positions[s]) * s * s for s in sizes], float)
        share /= share.sum()
        start = told = time.time()
        while (over := time.time() - start) < seconds:
            done = min(1, (self.spent + over) / self.seconds)
            for group in self.optimiser.param_groups:
                group["lr"] = self.args.rate * min(1, (self.steps + 1) / 300) * (0.5 + 0.5 * math.cos(math.pi * done))
            size = sizes[self.random.choice(len(sizes), p=share)]
            inputs = self.draw(positions, size)
            parts = [x.mean() for x in losses(self.student, *inputs)]
            sum(w * x for w, x in zip(self.loss_weights, parts)).backward()
            torch.nn.utils.clip_grad_norm_(self.weights, 1.0)
            self.optimiser.step()
            self.optimiser.zero_grad(set_to_none=True)
            self.steps += 1
            self.views += len(inputs[0])
            with torch.no_grad():
                torch._foreach_lerp_(self.mean, self.weights, max(0.001, 1 / (1 + 0.1 * self.steps)))
            # Not far ahead of the device, so that the clock is that of the work.
            if self.steps % 25 == 0 and self.device.type == "cuda":
                torch.cuda.synchronize()
            if time.time() - told > 20:
                told = time.time()
                say(self.steps, "steps", self.views, "positions", size, [round(x.item(), 4) for x in parts])
        self.spent += seconds

    @torch.no_grad()
    def validate(self, positions):
        """Means of `losses` by the mean weights on held-out games, by size; the last as a root mean square."""
        student, result = self.averaged(), {}
        for size, p in positions.items():
            n, total = len(p.held["bits"]), 0
            for index in torch.arange(n, device=self.device).split(4096):
                total += torch.stack([x.sum() for x in losses(student, *batch(p.held, index, size, 0, self.dtype))])
            *means, square = (total / n).tolist()
            result[size] = [round(x, 4) for x in (*means, square**0.5)]
        return result


def main():
    args = arguments()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(args.seed)
    sizes = sorted({int(part.split(":")[0]) for part in args.sizes.split(",")})
    rounds = [tuple(float(x) for x in part.split(":")) for part in args.rounds.split(",")]
    seconds = sum(training for _, training in rounds)
    trainers = [Trainer(args, weights, seconds, device) for weights in args.weights or ["1,1.5,1,1"]]
    out = Path(args.out)
    stem, dot, end = out.name.partition(".")
    files = [str(out.with_name(f"{stem}-{i + 1}{dot}{end}" if i > 0 else out.name)) for i in range(len(trainers))]
    teacher = Evaluator(networks.read(args.teacher), device)
    say(f"teacher {teacher.model['name']}, {sum(w.numel() for w in trainers[0].weights)} weights to train, on {device}")
    actors = [Actor(args, sizes, number) for number in range(2)]
    positions = {s: Positions() for s in sizes}
    for number, (playing, training) in enumerate(rounds):
        play(actors, playing, teacher, Evaluator(trainers[0].averaged(), device), positions, device, number == 0)
        for trainer, file in zip(trainers, files):
            say("before", trainer.validate(positions))
            trainer.train(positions, training)
            say("after", trainer.steps, "steps,", trainer.views, "positions", trainer.validate(positions))
            networks.write(trainer.averaged(), file + ".part", args.half)
            os.replace(file + ".part", file)
    for actor in actors:
        actor.process.kill()


if __name__ == "__main__":
    main()
