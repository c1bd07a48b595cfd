/** A sample of one series, at a time in milliseconds since 1970. */
export type WrittenSample = {
  readonly labels: Readonly<Record<string, string>>;
  /** A number, or a histogram as one sample. */
  readonly value: number | NativeHistogram;
  readonly at: number;
};

/** All `count` observations are in one bucket: from half of 2 to the power of `bucket` to it. */
type NativeHistogram = { readonly count: number; readonly sum: number; readonly bucket: number };

/** The most bytes of one literal of Snappy that a length of two bytes says. */
const LITERAL = 65_536;
const [VARINT, FIXED64, LENGTH] = [0, 1, 2];

/** Writes samples by Prometheus' remote write 1.0, which every source takes: https://prometheus.io/docs/specs/prw/remote_write_spec/ */
export async function remoteWrite(url: string, samples: readonly WrittenSample[]): Promise<void> {
  if (samples.length === 0) return;
  const body = snappy(Buffer.concat(samples.map((sample) => field(1, timeSeries(sample)))));
  const headers = {
    'content-type': 'application/x-protobuf',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '0.1.0',
  };
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  const text = await response.text();
  if (!response.ok) throw new TypeError(`remote write: ${response.status} ${text.slice(0, 300)}`);
}

function timeSeries({ labels, value, at }: WrittenSample): Buffer {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const pairs = sorted.map(([name, text]) =>
    field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(text))])),
  );
  const sample =
    typeof value === 'number'
      ? field(2, Buffer.concat([double(1, value), key(2, VARINT), varint(at)]))
      : field(4, histogram(value, at));
  return Buffer.concat([...pairs, sample]);
}

/** Buckets by factors of two: https://prometheus.io/docs/specs/native_histograms/#schema */
const SCHEMA = 0;

/** With counts that are no whole numbers. */
function histogram({ count, sum, bucket }: NativeHistogram, at: number): Buffer {
  const span = Buffer.concat([key(1, VARINT), varint(zigzag(bucket)), key(2, VARINT), varint(1)]);
  return Buffer.concat([
    double(2, count),
    double(3, sum),
    key(4, VARINT),
    varint(zigzag(SCHEMA)),
    double(7, 0),
    field(11, span),
    field(13, doubles([count])),
    key(15, VARINT),
    varint(at),
  ]);
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function double(number: number, value: number): Buffer {
  return Buffer.concat([key(number, FIXED64), doubles([value])]);
}

function doubles(values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) buffer.writeDoubleLE(value, 8 * index);
  return buffer;
}

function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([key(number, LENGTH), varint(content.length), content]);
}

function key(number: number, type: number): Buffer {
  return varint(number * 8 + type);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Buffer.from([...bytes, left]);
}

/** As literals alone, which every reader of Snappy takes: nothing here needs to be small. */
function snappy(content: Buffer): Buffer {
  const parts = [varint(content.length)];
  for (let at = 0; at < content.length; at += LITERAL) {
    const literal = content.subarray(at, at + LITERAL);
    const head = Buffer.from([61 << 2, 0, 0]);
    head.writeUInt16LE(literal.length - 1, 1);
    parts.push(head, literal);
  }
  return Buffer.concat(parts);
}
