"""Mutations of bytes, text, JSON, TOML and buffers of numbers, all from one generator of random numbers."""

import base64
import json
import re
import struct
import zlib

NUMBER = re.compile(rb"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
STRING = re.compile(rb'"([^"\n\\]{0,60})"')
EXTREMES = (
    "1e308 -1e308 1.7976931348623157e308 1e-320 -1e-320 5e-324 1e300 1e154 -1e154 1e39 1e38 1e20 -1e20 1e12 1e9 1e6 1e5 100000 nan inf -inf "
    "NaN Infinity 0 -0 -0.0 -1 1 2 0.5 3 1e-9 1e-30 255 256 65535 65536 2147483647 2147483648 4294967295 4294967296 "
    "9007199254740993 18446744073709551615 18446744073709551616 -9223372036854775808 1e400 1e99999 0x10 1_000 0,5 1.5.2 --1 true"
).split()
NUMBERS = [0, -1, 1, 2, 3, 0.5, -0.0, 1e308, -1e308, 1e300, 1e154, 1e39, 1e20, 1e9, 1e5, 1e-320, 1e-30, 255, 65536, 2**31, 2**32, 2**53 + 1, 2**63, 2**64]
FLOATS = [float("nan"), float("inf"), -float("inf"), 3.4e38, -3.4e38, 1e30, 1e9, 1e5, 1e-45, 0.0, -0.0, -1.0, 1.0]
INTEGERS = [0, 1, 2, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]
NAMES = [
    "", " ", "=1+1", "@SUM(A1)", "+1", "-2", "a,b", 'a"b', "a\nb", "\x1b[31mred\x1b[0m", "\u202egnp.exe", "\u2066x", "../../up", "/etc/passwd",
    "a/b", "a\\b", "CON", ".", "..", "x" * 300, "ä\u0301\ufeff", "\x00", "\x07", "<script>", "</script><b>", "{clip}", "hips", "pelvis", "walk.bvh", "\r",
]


def mutated(random, content, kind, others, plan=None):
    """`content` after one to four mutations that suit its kind; `others` are contents to splice in, `plan` is that of the
    survey if `content` is a segment."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        content = once(random, content, kind, others, plan)
    return content[:400_000]


def once(random, content, kind, others, plan):
    roll = random.random()
    if kind == "glb" and roll < 0.75:
        return glb(random, content)
    if kind == "part" and roll < 0.7:
        return kept_lines(random, content, plan)
    if kind in ("gltf", "forces") and roll < 0.7:
        return of_json(random, content)
    if is_text(content) and roll < 0.93:
        return of_text(random, content, others)
    return of_bytes(random, content, others)


def is_text(content):
    return b"\0" not in content[:512]


def of_bytes(random, content, others):
    content = bytearray(content)
    at, length = random.randrange(len(content) + 1), min(random.choice((1, 1, 2, 4, 8, 64, 1000)), len(content))
    way = random.randrange(9)
    if way == 0:
        for _ in range(random.choice((1, 1, 3, 20))):
            if content:
                content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    elif way == 1:
        del content[at : at + length]
    elif way == 2:
        content[at:at] = random.randbytes(length)
    elif way == 3:
        start = random.randrange(len(content) + 1)
        content[at:at] = content[start : start + length]
    elif way == 4:
        content = content[:at]
    elif way == 5:
        content[at : at + 4] = struct.pack("<I", random.choice(INTEGERS))
    elif way == 6:
        content[at : at + 4] = struct.pack("<f", random.choice(FLOATS))
    elif way == 7:
        content[at : at + 8] = struct.pack("<d", random.choice(FLOATS)) if random.random() < 0.5 else struct.pack("<Q", random.choice(INTEGERS))
    else:
        other = random.choice(others)
        start = random.randrange(len(other) + 1)
        content[at : at + length] = other[start : start + random.choice((4, 40, 400))]
    return bytes(content)


def of_text(random, content, others):
    way = random.randrange(14)
    if way >= 12:
        # Another number of the same size: what is read then goes on to be computed.
        return replaced(random, content, NUMBER, lambda match: near(random, match[0]), random.choice((1, 5, 100)))
    if way <= 4:
        return replaced(random, content, NUMBER, lambda _: random.choice(EXTREMES).encode(), 1 if way else random.choice((3, 30, 100_000)))
    if way == 5:
        return replaced(random, content, STRING, lambda _: json.dumps(random.choice(NAMES), ensure_ascii=random.random() < 0.5).encode(), 1)
    if way == 6:
        words = list(re.finditer(rb"[^\s,]+", content))
        if len(words) > 1:
            a, b = sorted(random.sample(words, 2), key=lambda word: word.start())
            return content[: a.start()] + b[0] + content[a.end() : b.start()] + a[0] + content[b.end() :]
        return content
    lines = content.split(b"\n")
    at, length = random.randrange(len(lines)), random.choice((1, 1, 2, 5, 20))
    if way == 7:
        del lines[at : at + length]
    elif way == 8:
        to = random.randrange(len(lines) + 1)
        lines[to:to] = lines[at : at + length]
    elif way == 9:
        lines[at:at] = lines[at : at + 1] * random.choice((2, 10, 300))
    elif way == 10:
        # A table of TOML, or a block of braces, twice or at another place.
        starts = [index for index, line in enumerate(lines) if line.lstrip().startswith((b"[", b"JOINT", b"<body", b"<link"))] or [0]
        first = random.choice(starts)
        end = next((start for start in starts if start > first), len(lines))
        block, to = lines[first:end], random.choice(starts)
        if random.random() < 0.5:
            del lines[first:end]
        lines[to:to] = block
    else:
        other = random.choice(others).split(b"\n")
        start = random.randrange(len(other))
        lines[at : at + random.choice((0, 1))] = other[start : start + length]
    return b"\n".join(lines)


def near(random, word):
    try:
        number = float(word) * random.choice((-1, 0, 0.5, 0.9, 1.001, 2, 10, 100)) + random.choice((0, 0, 1, -0.01))
    except ValueError:
        return word
    return b"%d" % number if b"." not in word and abs(number) < 1e15 else repr(number).encode()


def replaced(random, content, pattern, new, most):
    found = list(pattern.finditer(content))
    chosen = sorted(random.sample(found, min(most, len(found))), key=lambda match: match.start())
    pieces, end = [], 0
    for match in chosen:
        pieces += [content[end : match.start()], new(match)]
        end = match.end()
    return b"".join(pieces) + content[end:]


def written(document):
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode(errors="surrogatepass")


def of_json(random, content):
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return of_text(random, content, [content])
    if isinstance(document, dict) and random.random() < 0.3:
        buffers = [buffer for buffer in listed(document, "buffers") if ";base64," in str(buffer.get("uri"))]
        if buffers:
            buffer = random.choice(buffers)
            head, _, text = buffer["uri"].partition(";base64,")
            try:
                new = of_numbers(random, base64.b64decode(text))
            except ValueError:
                new = b""
            buffer["uri"] = head + ";base64," + base64.b64encode(new).decode()
            return written(document)
    changed(random, document)
    return written(document)


def kept_lines(random, content, plan):
    """A part or segment of a survey with one record, its plan or their order changed. Half of them have the right checksums:
    those of the plan's line with the rest of each."""
    lines = content.rstrip(b"\n").split(b"\n")
    at = random.randrange(len(lines))
    start = lines[at].find(b"{")
    if start >= 0 and random.random() < 0.8:
        lines[at] = lines[at][:start] + of_json(random, lines[at][start:])
    elif random.random() < 0.5:
        lines.insert(random.randrange(len(lines) + 1), lines[at])
    else:
        lines[at] = of_text(random, lines[at], [lines[at]])
    if random.random() < 0.5:
        seal = zlib.crc32(lines[0] if plan is None else plan)
        for index in range(1 if plan is None else 0, len(lines)):
            rest = lines[index][9:]
            lines[index] = b"%08x %s" % (zlib.crc32(rest, seal), rest)
    return b"\n".join(lines) + b"\n"


def listed(document, key):
    value = document.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def changed(random, document):
    """Changes one place of a document: every place is as likely at every depth."""
    parent, node = None, document
    while isinstance(node, (dict, list)) and node and (parent is None or random.random() < 0.85):
        parent, key = node, random.choice(list(node)) if isinstance(node, dict) else random.randrange(len(node))
        node = node[key]
    if parent is None:
        return
    way = random.randrange(8)
    if way == 0:
        del parent[key]
    elif way == 1 and isinstance(parent, list):
        parent.insert(random.randrange(len(parent) + 1), node)
    elif way == 2 and isinstance(parent, list):
        parent.extend([node] * random.choice((1, 10, 200)))
    elif way == 3:
        parent[key] = random.choice([None, True, [], {}, [[]], "", "0", random.choice(NAMES)])
    elif way == 4 and isinstance(node, str):
        parent[key] = random.choice(NAMES)
    elif way == 5 and isinstance(parent, dict):
        parent[random.choice(list(parent))] = node
    elif isinstance(node, (int, float)) and random.random() < 0.4:
        parent[key] = random.choice((node + 1, node - 1, node * 2, -node))
    else:
        parent[key] = random.choice(NUMBERS)


def of_numbers(random, content):
    """A buffer of floats, some replaced."""
    content = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 10))):
        at = random.randrange(0, max(len(content) - 3, 1), 4)
        content[at : at + 4] = struct.pack("<f", random.choice(FLOATS))
    return bytes(content)


def glb(random, content):
    """A GLB with its JSON or its buffer mutated, and lengths that are right again."""
    if len(content) < 20 or content[:4] != b"glTF":
        return of_bytes(random, content, [content])
    length = int.from_bytes(content[12:16], "little")
    text, rest = content[20 : 20 + length], content[28 + length :]
    if random.random() < 0.6:
        text = of_json(random, text) if random.random() < 0.8 else of_text(random, text, [text])
    else:
        rest = of_numbers(random, rest) if random.random() < 0.8 else of_bytes(random, rest, [rest])
    text += b" " * (-len(text) % 4)
    rest += b"\0" * (-len(rest) % 4)
    chunks = struct.pack("<I", len(text)) + b"JSON" + text + (struct.pack("<I", len(rest)) + b"BIN\0" + rest if rest else b"")
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks
