import { InvalidArgumentError } from 'commander';
import type { BindAddress, ImageScript } from '../command-options.ts';

const MOST_NODES = 5000;
const MOST_SECONDS = 3600;

export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('a port is a number from 0 to 65535');
  return port;
}

/** `https://HOST` or `https://HOST:PORT`, and nothing more. */
export function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.username !== '' || url.href !== `https://${url.host}/`)
    throw new InvalidArgumentError('it is https://HOST:PORT');
  return url;
}

export function nodeCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count > MOST_NODES)
    throw new InvalidArgumentError(`there are 0 to ${MOST_NODES} nodes`);
  return count;
}

export function secondCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count > MOST_SECONDS)
    throw new InvalidArgumentError(`seconds are a number from 0 to ${MOST_SECONDS}`);
  return count;
}

/** How long a process that serves webhooks works on, for `option()`. */
export const SHUTDOWN_DELAY: [string, string, (text: string) => number, number] = [
  '--shutdown-delay-seconds <n>',
  'work on for so long after SIGTERM, unready',
  secondCount,
  0,
];

export function imageScript(text: string, earlier: readonly ImageScript[]): readonly ImageScript[] {
  const [, name = '', file = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('an image is NAME=FILE.js');
  if (earlier.some((image) => image.name === name))
    throw new InvalidArgumentError(`the image ${name} has two files`);
  return [...earlier, { name, file }];
}

export function nameList(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** `:8081`, `127.0.0.1:8081` or `[::1]:8081`; `0` does not listen. */
export function bindAddress(text: string): BindAddress | undefined {
  if (text === '0' || text === '') return undefined;
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]+)\]|([^:]*)):(\d+)$/.exec(text) ?? [];
  if (port === '') throw new InvalidArgumentError('an address is HOST:PORT or :PORT');
  const host = bracketed ?? plain ?? '';
  return { port: portNumber(port), ...(host === '' ? {} : { host }) };
}
