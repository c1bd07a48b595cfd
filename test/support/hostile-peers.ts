import { setImmediate as turn } from 'node:timers/promises';
import { connectRaw, http2Frames, type PeerTarget, type RawPeer } from './raw-peer.ts';

/** A listener that peers connect to, and a path at which it reads bodies. */
export type HostileTarget = { readonly port: number; readonly isTls: boolean; readonly path: string };

/** What one peer does. Its connection stays open when it returns; the caller ends it. */
type Manner = (open: Open, target: HostileTarget, draw: Draw) => Promise<void>;
type Open = (alpn?: readonly string[]) => Promise<RawPeer>;
/** A whole number below `bound`. */
type Draw = (bound: number) => number;

const H1 = ['http/1.1'];
const H2 = ['h2'];

const head = (path: string, length: number, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${more}content-length: ${length}\r\n\r\n`;

function bytes(draw: Draw, count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => draw(256)));
}

function write({ socket }: RawPeer, ...chunks: readonly (string | Buffer)[]): void {
  for (const chunk of chunks) socket.write(chunk);
}

/** The ways in which peers are other than expected: they cancel, reset, fall silent, or speak something else. */
const MANNERS: Readonly<Record<string, Manner>> = {
  silent: async (open) => void (await open(H1)),
  'half a header': async (open, { path }) => write(await open(H1), head(path, 10).slice(0, 20)),
  'half a body': async (open, { path }) => write(await open(H1), head(path, 1000), '{"half":'),
  'half a body, then the end': async (open, { path }) => {
    const peer = await open(H1);
    write(peer, head(path, 1000), '{"half":');
    peer.socket.end();
  },
  'half a body, then a reset': async (open, { path }) => {
    const peer = await open(H1);
    write(peer, head(path, 1000), '{"half":');
    await turn();
    peer.reset();
  },
  'a reset instead of reading the response': async (open, { path }) => {
    const peer = await open(H1);
    write(peer, head(path, 2), '{}');
    peer.reset();
  },
  'more than announced': async (open, { path }) => write(await open(H1), head(path, 2), '{}{}{}\r\n\r\n'),
  'a larger body than any': async (open, { path }) =>
    write(await open(H1), head(path, 10 ** 12), 'x'.repeat(70_000)),
  'a body in pieces that are none': async (open, { path }) =>
    write(
      await open(H1),
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}`,
    ),
  'other methods': async (open, { path }) => {
    for (const method of ['CONNECT', 'TRACE', 'OPTIONS', 'FOREIGN'])
      write(await open(H1), `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  },
  'an upgrade': async (open, { path }) =>
    write(
      await open(H1),
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    ),
  'something expected': async (open, { path }) =>
    write(await open(H1), head(path, 2, 'expect: 100-continue\r\n')),
  'targets that are no paths': async (open) => {
    for (const target of ['//', 'http://[', '*', '/%', '/\u00ff', `/${'a'.repeat(20_000)}`])
      write(await open(H1), `GET ${target} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  },
  'requests in a row, then a reset': async (open, { path }) => {
    const peer = await open(H1);
    write(peer, head(path, 2).concat('{}').repeat(50));
    await turn();
    peer.reset();
  },
  'plain text on TLS, or TLS on plain text': async (_open, { port, isTls, path }) => {
    const peer = await connectRaw({ port });
    write(peer, isTls ? head(path, 2) : Buffer.from('16030100050100000100', 'hex'));
    await turn();
    peer.socket.destroy();
  },
  'random bytes': async (open, _target, draw) => write(await open(H1), bytes(draw, 1 + draw(2000))),
  'random bytes instead of TLS': async (_open, { port }, draw) => {
    const peer = await connectRaw({ port });
    write(peer, bytes(draw, 1 + draw(2000)));
    await turn();
    peer.socket.destroy();
  },
  'HTTP/1.1 where HTTP/2 was agreed': async (open, { path }) => write(await open(H2), head(path, 2), '{}'),
  'HTTP/2 where HTTP/1.1 was agreed': async (open) => write(await open(H1), http2Frames.preface()),
};

/** The same over HTTP/2, where it is agreed on. */
const MANNERS_OF_HTTP2: Readonly<Record<string, Manner>> = {
  'half a body over HTTP/2': async (open, { path }) =>
    write(await open(H2), http2Frames.preface(), http2Frames.post(1, path), http2Frames.data(1, '{')),
  'cancelled requests': async (open, { path }) => {
    const peer = await open(H2);
    write(peer, http2Frames.preface());
    for (let id = 1; id < 400; id += 2)
      write(peer, http2Frames.post(id, path), http2Frames.data(id, '{'), http2Frames.cancel(id));
  },
  'requests over HTTP/2, then the end': async (open, { path }) => {
    const peer = await open(H2);
    write(peer, http2Frames.preface());
    for (let id = 1; id < 400; id += 2) write(peer, http2Frames.post(id, path));
    peer.socket.end();
  },
  'requests over HTTP/2, then a reset': async (open, { path }) => {
    const peer = await open(H2);
    write(peer, http2Frames.preface());
    for (let id = 1; id < 400; id += 2) write(peer, http2Frames.post(id, path));
    await turn();
    peer.reset();
  },
  'random frames': async (open, { path }, draw) => {
    const frames = [http2Frames.preface(), http2Frames.post(1, path)];
    for (let i = 0; i < 20; i++)
      frames.push(http2Frames.any(draw(10), draw(256), draw(5), bytes(draw, draw(40))));
    write(await open(H2), ...frames);
  },
};

/** How many kinds of peers there are at least. */
export const PEER_KINDS: number = Object.keys(MANNERS).length;

/**
 * Has each kind of peer connect `rounds` times, keeps their connections open until all have, and ends them. Returns how many
 * connections there were.
 */
export async function harass(target: HostileTarget, rounds: number, seed: number): Promise<number> {
  const peers: RawPeer[] = [];
  const open: Open = async (alpn) => {
    const { port, isTls } = target;
    const at: PeerTarget = isTls && alpn !== undefined ? { port, alpn } : { port };
    const peer = await connectRaw(at);
    peers.push(peer);
    return peer;
  };
  const draw = drawFrom(seed);
  const manners = Object.values(target.isTls ? { ...MANNERS, ...MANNERS_OF_HTTP2 } : MANNERS);
  for (let round = 0; round < rounds; round++)
    await Promise.all(manners.map((manner) => manner(open, target, draw)));
  // What they sent arrives while another connection is made.
  await open(H1);
  for (const { socket } of peers) socket.destroy();
  return peers.length;
}

/** The same numbers for the same seed (a linear congruential generator). */
function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
