import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that the kernel gives to connections, and to servers that listen on port 0: Linux begins at 32768. */
const [FIRST, LAST] = [12_000, 32_000];
let next = randomInt(FIRST, LAST);

/**
 * A loopback port that stays free between now and when it is listened on, and while its server is restarted: nobody is
 * given it at random. Each process that runs tests begins elsewhere.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = next < LAST ? next + 1 : FIRST;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
