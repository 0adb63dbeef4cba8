#!/usr/bin/env python3
"""Records tests/data/torch_gpu and jax_gpu on a machine with an NVIDIA GPU.

    record_gpu_samples.py torch FOLDER     # PyTorch 2.11: torch_gpu.pt.trace.json
    record_gpu_samples.py jax FOLDER       # JAX 0.11: plugins/profile/*/*.xplane.pb

Both train a transformer for five steps whose batches come late: the loader sleeps. Each prints as JSON what it measured
itself (CUDA events, clocks, allocators). tests/model/analysis/steps/gpu_recordings_test.cc has these numbers.
"""
import json
import os
import sys
import time

WIDTH, HEADS, LAYERS, LENGTH, BATCH, WORDS, STEPS = 256, 4, 2, 64, 8, 1000, 5


def torch_program(folder):
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    from torch.profiler import ProfilerActivity, profile, schedule

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            b, s, w = x.shape
            q, k, v = self.qkv(self.norm1(x)).view(b, s, 3, HEADS, w // HEADS).permute(2, 0, 3, 1, 4)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(b, s, w))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    class SlowTokens(torch.utils.data.Dataset):
        def __init__(self):
            self.tokens = torch.randint(0, WORDS, (64, LENGTH + 1))

        def __len__(self):
            return 100000

        def __getitem__(self, index):
            time.sleep(0.0015)
            return self.tokens[index % 64]

    model = nn.Sequential(nn.Embedding(WORDS, WIDTH), *[Block() for _ in range(LAYERS)], nn.Linear(WIDTH, WORDS)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batches = iter(torch.utils.data.DataLoader(SlowTokens(), batch_size=BATCH))
    waits, events = [], []

    def step():
        begin = time.perf_counter()
        tokens = next(batches)
        waits.append(1e3 * (time.perf_counter() - begin))
        tokens = tokens.to("cuda", non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        logits = model(tokens[:, :-1])
        F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).backward()
        optimizer.step()

    def mark():
        events.append(torch.cuda.Event(enable_timing=True))
        events[-1].record()

    for _ in range(5):
        step()
    torch.cuda.reset_peak_memory_stats()
    path = os.path.join(folder, "torch_gpu.pt.trace.json")
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True, profile_memory=True,
                 with_flops=True, schedule=schedule(wait=1, warmup=2, active=STEPS),
                 on_trace_ready=lambda p: p.export_chrome_trace(path)) as p:
        for _ in range(STEPS + 3):
            mark()
            step()
            if len(events) == STEPS + 3:
                mark()
            p.step()
    torch.cuda.synchronize()
    ends = events[-STEPS - 1:]
    return {
        "card": torch.cuda.get_device_name(), "torch": torch.__version__, "wait_ms": waits[-STEPS:],
        "step_ms": [a.elapsed_time(b) for a, b in zip(ends, ends[1:])],
        "max_memory_allocated": torch.cuda.max_memory_allocated(),
        "batch_bytes": BATCH * (LENGTH + 1) * 8,
        "kernel_us": {row.key: row.self_device_time_total for row in p.key_averages()
                      if row.key in ("aten::mm", "aten::addmm")},
        "matmul_flops": sum(row.flops for row in p.key_averages() if row.key in ("aten::mm", "aten::addmm")),
    }


def jax_program(folder):
    import jax
    import jax.numpy as jnp
    import numpy as np

    def norm(x, scale):
        x = x - x.mean(-1, keepdims=True)
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale

    def forward(params, tokens):
        x = params["embed"][tokens]
        b, s, w = x.shape
        for p in params["blocks"]:
            q, k, v = (t.reshape(b, s, HEADS, w // HEADS) for t in jnp.split(norm(x, p["norm1"]) @ p["qkv"], 3, -1))
            x = x + jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(b, s, w) @ p["out"]
            x = x + jax.nn.gelu(norm(x, p["norm2"]) @ p["up"]) @ p["down"]
        return x @ params["head"]

    def loss_of(params, tokens):
        scores = jax.nn.log_softmax(forward(params, tokens[:, :-1]))
        return -jnp.take_along_axis(scores, tokens[:, 1:, None], -1).mean()

    @jax.jit
    def train_step(params, tokens):
        loss, grads = jax.value_and_grad(loss_of)(params, tokens)
        return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), loss

    def load_batch(tokens):
        time.sleep(0.012)
        return tokens

    keys = iter(jax.random.split(jax.random.key(0), 100))
    new = lambda *shape: jax.random.normal(next(keys), shape) * 0.02
    block = lambda: {"norm1": jnp.ones(WIDTH), "norm2": jnp.ones(WIDTH), "qkv": new(WIDTH, 3 * WIDTH),
                     "out": new(WIDTH, WIDTH), "up": new(WIDTH, 4 * WIDTH), "down": new(4 * WIDTH, WIDTH)}
    params = {"embed": new(WORDS, WIDTH), "head": new(WIDTH, WORDS), "blocks": [block() for _ in range(LAYERS)]}
    tokens = np.random.default_rng(0).integers(0, WORDS, (BATCH, LENGTH + 1)).astype(np.int32)
    for _ in range(3):
        params, loss = train_step(params, load_batch(tokens))
        float(loss)
    waits, fetches, begins = [], [], []
    with jax.profiler.trace(folder):
        for i in range(STEPS):
            begins.append(time.perf_counter())
            with jax.profiler.StepTraceAnnotation("train", step_num=i):
                batch = load_batch(tokens)
                waits.append(1e3 * (time.perf_counter() - begins[-1]))
                params, loss = train_step(params, batch)
                begin = time.perf_counter()
                float(loss)
                fetches.append(1e3 * (time.perf_counter() - begin))
        begins.append(time.perf_counter())
    return {"card": jax.devices()[0].device_kind, "jax": jax.__version__, "wait_ms": waits, "fetch_ms": fetches,
            "step_ms": [1e3 * (b - a) for a, b in zip(begins, begins[1:])],
            "flops": train_step.lower(params, tokens).compile().cost_analysis()["flops"]}


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    truth = {"torch": torch_program, "jax": jax_program}[sys.argv[1]](sys.argv[2])
    print(json.dumps(truth, indent=1))
