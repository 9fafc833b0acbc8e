"""What holds for every run of the program, whatever its input: the rules that `attack.py` and `kills.py` share."""

import array
import base64
import csv
import io
import json
import math
import os
import re
import struct
import sys
import zlib

# A number that is none, standing alone. In sentences, quoted text is somebody else's.
NO_NUMBER = re.compile(r"(?<![\w./-])[-+±−]?(?:nan|inf|infinity)(?![\w./-])", re.IGNORECASE)
QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|`[^`]*`|'[^'\n]*'")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"[=+\-@]")


class Fault(Exception):
    """A rule that does not hold: its short name, and what was seen."""

    def __init__(self, name, seen=""):
        super().__init__(f"{name}: {seen}" if seen else name)
        self.name, self.seen = name, seen


def text_of(name, content, exit_code=0):
    """Judges standard output or standard error."""
    text = content.decode(errors="surrogateescape")
    if "panicked at" in text:
        raise Fault("panic", text[text.index("panicked at") :][:200])
    # A refusal may name the number that it refuses.
    if exit_code != 2:
        found = NO_NUMBER.search(QUOTED.sub("“”", text))
        if found:
            raise Fault(f"no number in {name}", text[max(found.start() - 80, 0) : found.end() + 40])
    found = CONTROL.search(text)
    if found:
        raise Fault(f"control character in {name}", repr(text[max(found.start() - 60, 0) : found.end() + 20]))


def strict_json(name, content):
    def refuse(word):
        raise Fault(f"no number in {name}", word)

    def finite(word):
        number = float(word)
        if not math.isfinite(number):
            raise Fault(f"no number in {name}", word)
        return number

    try:
        return json.loads(content.decode(), parse_constant=refuse, parse_float=finite)
    except (ValueError, RecursionError) as error:
        raise Fault(f"{name} is no JSON", str(error)) from None


# A program that is started counts the memory of the process that starts it, which is therefore kept small.
LARGE = 5_000_000


def large_json(name, content):
    """Judges strict JSON; where it is large in a process of its own, whose memory is given back."""
    if len(content) < LARGE:
        strict_json(name, content)
        return
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        told = [f"the judge of {name} failed"]
        try:
            strict_json(name, content)
            told = []
        except Fault as fault:
            told = [fault.name, fault.seen]
        finally:
            os.write(writing, json.dumps(told).encode()[:4000])
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = json.loads(pipe.read() or b'["killed"]')
    os.waitpid(child, 0)
    if told:
        raise Fault(*told)


def table(name, content):
    """A CSV: rows as long as the header, no cell that is no number, no text that a table program would compute."""
    try:
        rows = list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        raise Fault(f"{name} is no table", str(error)) from None
    if not rows:
        raise Fault(f"{name} is no table", "it is empty")
    for row in rows:
        if len(row) != len(rows[0]):
            raise Fault(f"{name} is no table", f"{len(row)} cells under {len(rows[0])} columns")
        for cell in row:
            if cell.lower().lstrip("+-") in ("nan", "inf", "infinity"):
                raise Fault(f"no number in {name}", ",".join(row)[:200])
            if FORMULA.match(cell):
                try:
                    float(cell)
                except ValueError:
                    raise Fault(f"formula in {name}", cell[:100]) from None


def bvh(name, content):
    _, _, motion = content.partition(b"\nMOTION")
    if not motion:
        raise Fault(f"{name} is no BVH")
    for word in motion.split()[5:]:
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise Fault(f"no number in {name}", word[:40].decode(errors="replace"))


def png(name, content):
    if content[:8] != b"\x89PNG\r\n\x1a\n":
        raise Fault(f"{name} is no PNG")
    at, kind = 8, b""
    while at < len(content):
        length = int.from_bytes(content[at : at + 4], "big")
        kind, chunk = content[at + 4 : at + 8], content[at + 4 : at + 8 + length]
        if int.from_bytes(content[at + 8 + length : at + 12 + length], "big") != zlib.crc32(chunk):
            raise Fault(f"{name} is no PNG", "a checksum is wrong")
        at += 12 + length
    if kind != b"IEND":
        raise Fault(f"{name} is no PNG", "it is cut off")


def gltf(name, content, folder):
    """A glTF or GLB: strict JSON, buffers as long as they say, and finite keys of animations."""
    own = None
    if content[:4] == b"glTF":
        if len(content) != int.from_bytes(content[8:12], "little"):
            raise Fault(f"{name} is no GLB", "its length is wrong")
        length = int.from_bytes(content[12:16], "little")
        own, content = content[28 + length :], content[20 : 20 + length]
    document = strict_json(name, content)
    buffers = []
    for buffer in document.get("buffers", []):
        uri = buffer.get("uri")
        if uri is None and not own:
            # What a source does not have is not there in its copy either.
            data = bytes(int(buffer["byteLength"]))
        elif uri is None:
            data = own
        elif uri.startswith("data:"):
            data = base64.b64decode(uri.partition(",")[2])
        else:
            path = os.path.join(folder, uri)
            if not os.path.isfile(path):
                raise Fault(f"{name} lacks a buffer", uri)
            with open(path, "rb") as file:
                data = file.read()
        if len(data) < buffer["byteLength"]:
            raise Fault(f"{name} lacks a buffer", f"{len(data)} of {buffer['byteLength']} bytes")
        buffers.append(data)
    used = {int(sampler[key]) for animation in document.get("animations", []) for sampler in animation.get("samplers", []) for key in ("input", "output")}
    # An index may be written 0.0, which is the integer 0 to JSON Schema.
    sizes = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
    for index in used:
        accessor = document["accessors"][index]
        if accessor["componentType"] != 5126 or "bufferView" not in accessor:
            continue
        view = document["bufferViews"][int(accessor["bufferView"])]
        start = int(view.get("byteOffset", 0) + accessor.get("byteOffset", 0))
        if "byteStride" in view:
            continue
        floats = array.array("f")
        end = start + 4 * sizes[accessor["type"]] * int(accessor["count"])
        floats.frombytes(buffers[int(view["buffer"])][start:end])
        if sys.byteorder == "big":
            floats.byteswap()
        if not all(map(math.isfinite, floats)):
            raise Fault(f"no number in {name}", f"accessor {index}")


def page(name, content):
    text = content.decode()
    if not text.rstrip().endswith("</html>"):
        raise Fault(f"{name} is cut off")
    opening = '<script type="application/json" id="data">'
    at = text.find(opening)
    if at >= 0:
        strict_json(name, text[at + len(opening) : text.index("</script>", at)].encode())


def output(path):
    """Judges a file that the program has written, by its extension."""
    with open(path, "rb") as file:
        content = file.read()
    name = os.path.basename(path)
    extension = name.rsplit(".", 1)[-1]
    short = f"*.{extension}"
    if extension == "json":
        large_json(short, content)
    elif extension == "jsonl":
        for line in content.splitlines():
            strict_json(short, line)
    elif extension == "part":
        for line in content.splitlines()[:-1]:
            # Checksum, size and time stand before a record.
            strict_json(short, line[line.index(b"{") :])
    elif extension == "csv":
        table(short, content)
    elif extension == "bvh":
        bvh(short, content)
    elif extension == "png":
        png(short, content)
    elif extension in ("gltf", "glb", "vrma", "vrm"):
        gltf(short, content, os.path.dirname(path))
    elif extension == "html":
        page(short, content)
    elif extension == "gif":
        if content[:6] != b"GIF89a" or content[-1:] != b";":
            raise Fault(f"{short} is cut off")
    elif extension == "parquet":
        footer = struct.unpack("<I", content[-8:-4])[0] if len(content) > 12 else 0
        if content[:4] != b"PAR1" or content[-4:] != b"PAR1" or not 0 < footer < len(content) - 8:
            raise Fault(f"{short} is cut off")
    elif extension == "toml":
        # A log holds its scene; strings of scenes may hold any word.
        found = NO_NUMBER.search(QUOTED.sub("", content.decode()))
        if found:
            raise Fault(f"no number in {short}", content.decode()[max(found.start() - 60, 0) : found.end() + 20])
