import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { localError } from '../errors/api-error.ts';
import { ResponseBody } from './response-body.ts';

const bodyOf = (stream: Readable): ResponseBody =>
  new ResponseBody({ stream, wasCut: () => false, cancel: () => stream.destroy(), signal: undefined });

const textOf = async (body: ResponseBody): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

it('a body is fetched no faster than it is iterated', async () => {
  let fetched = 0;
  async function* chunks() {
    for (; fetched < 1000; fetched++) yield Buffer.alloc(16_384);
  }
  const body = bodyOf(Readable.from(chunks(), { objectMode: false }));
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(fetched * 16_384 - size).toBeLessThan(10 * 16_384);
  }
  expect(size).toBe(16_384_000);
});

it('a body that is iterated when its stream has failed reports why', async () => {
  const stream = new PassThrough();
  const body = bodyOf(stream);
  stream.on('error', () => undefined).destroy(localError('ConnectionFailed', 'the cable was pulled'));
  await expect(textOf(body)).rejects.toThrow('the cable was pulled');
});

it('a body whose stream was closed before its end is reported as cut off, however it is read', async () => {
  const stream = new PassThrough();
  stream.write('half');
  const read = textOf(bodyOf(stream));
  const collected = bodyOf(stream).collect(100);
  stream.destroy();
  await expect(read).rejects.toThrow('the response was cut off');
  await expect(collected).rejects.toThrow('the response was cut off');
  await expect(textOf(bodyOf(stream))).rejects.toThrow('the response was cut off');
});
