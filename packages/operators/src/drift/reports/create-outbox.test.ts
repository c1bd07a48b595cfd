import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createManualClock, type ManualClock } from '@kubewright/client';
import type { Json } from '@kubewright/kube';
import { silentLogger } from '@kubewright/runtime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reportSettingsOf } from './report-settings-of.ts';
import { createOutbox, type Outbox, type Outcome } from './create-outbox.ts';
import type { DriftReport } from './drift-report.ts';
import { forgetful, storeIn } from './report-store.ts';
import { signatureHeaders } from './signature-headers.ts';

type Received = { readonly headers: IncomingMessage['headers']; readonly body: string };

let server: Server;
let url: string;
let received: Received[];
/** What the backend responds with, one after the other; then 200 and an acknowledgement. */
let responses: (readonly [status: number, body: string])[];
let folder: string;
let outcomes: Outcome[];
let clock: ManualClock;
let stop: AbortController;
let ended: Promise<void>;

beforeEach(async () => {
  [received, responses, outcomes] = [[], [], []];
  clock = createManualClock();
  [stop, ended] = [new AbortController(), Promise.resolve()];
  folder = mkdtempSync(join(tmpdir(), 'kubewright-outbox-'));
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      const [status, text] = responses.shift() ?? [200, '{"acknowledged":true}'];
      response.writeHead(status).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`;
});

afterEach(async () => {
  stop.abort();
  await ended;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const report = (id: string, phase: DriftReport['spec']['phase'] = 'Detected'): DriftReport => ({
  apiVersion: 'kausality.io/v1alpha1',
  kind: 'DriftReport',
  spec: {
    id,
    phase,
    parent: { apiVersion: 'example.com/v1', kind: 'Site', name: 'web', namespace: 'shop' },
    child: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', namespace: 'shop' },
    request: { user: 'ctl<1>', operation: 'UPDATE' },
  },
});

function outboxOf({
  isStored = false,
  ...backend
}: {
  isStored?: boolean;
  [key: string]: Json;
} = {}): Outbox {
  const { backends } = reportSettingsOf({ backends: [{ url, retryCount: 0, ...backend }] });
  const store = isStored ? storeIn(folder, silentLogger) : forgetful;
  const count = (outcome: Outcome): void => void outcomes.push(outcome);
  return createOutbox(backends[0] ?? expect.fail(), { clock, log: silentLogger, store, count });
}

function run(outbox: Outbox): Outbox {
  ended = outbox.start(stop.signal);
  return outbox;
}

async function restart(): Promise<void> {
  stop.abort();
  await ended;
  stop = new AbortController();
}

const posted = (): readonly string[] =>
  received.map(({ body }) => {
    const { spec } = JSON.parse(body) as DriftReport;
    return `${spec.id} ${spec.phase}`;
  });
const until = (outcome: readonly Outcome[]) =>
  expect.poll(() => outcomes, { timeout: 20_000 }).toEqual(outcome);

test('DRF-71 a backend that fails twice gets it with the third attempt', async () => {
  responses = [
    [500, ''],
    [500, ''],
  ];
  run(outboxOf({ retryCount: 3, retryInterval: '10s' })).add(report('a'));
  for (const attempts of [1, 2]) {
    await expect.poll(() => [received.length, clock.pending], { timeout: 20_000 }).toEqual([attempts, 1]);
    await clock.advance(10_000);
  }
  await until(['acknowledged']);
  expect(posted()).toEqual(['a Detected', 'a Detected', 'a Detected']);
});

test('DRF-71 a backend that is down loses nothing, and gets all in order', async () => {
  responses = Array.from({ length: 30 }, () => [503, ''] as const);
  const outbox = run(outboxOf());
  outbox.add(report('a'));
  outbox.add(report('a', 'Resolved'));
  for (let round = 1; round <= 30; round++) {
    await expect.poll(() => [outcomes.length, clock.pending], { timeout: 20_000 }).toEqual([round, 1]);
    await clock.advance(15_000);
  }
  await expect.poll(() => outcomes.slice(30), { timeout: 20_000 }).toEqual(['acknowledged', 'acknowledged']);
  expect(posted().slice(30)).toEqual(['a Detected', 'a Resolved']);
});

test('a report that the backend does not acknowledge is dropped in the end, and the next has its turn', async () => {
  responses = Array.from({ length: 20 }, () => [200, '{"acknowledged":false}'] as const);
  const outbox = run(outboxOf());
  outbox.add(report('a'));
  outbox.add(report('b'));
  for (let round = 1; round < 20; round++) {
    await expect.poll(() => [outcomes.length, clock.pending], { timeout: 20_000 }).toEqual([round, 1]);
    await clock.advance(15_000);
  }
  await expect
    .poll(() => outcomes.slice(19), { timeout: 20_000 })
    .toEqual(['failed', 'dropped', 'acknowledged']);
  expect(posted().at(-1)).toBe('b Detected');
});

test('DRF-71 what was not acknowledged is sent by the next process, and what was is not', async () => {
  const before = run(outboxOf({ isStored: true }));
  before.add(report('a'));
  await until(['acknowledged']);
  responses = [[503, '']];
  before.add(report('b'));
  before.add(report('b', 'Updated'));
  await until(['acknowledged', 'failed']);
  await restart();
  run(outboxOf({ isStored: true })).add(report('c'));
  await until(['acknowledged', 'failed', 'acknowledged', 'acknowledged', 'acknowledged']);
  expect(posted().slice(2)).toEqual(['b Detected', 'b Updated', 'c Detected']);
  const waiting = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.json'));
  expect(waiting).toEqual([]);
});

test('an outbox keeps the newest thousand reports', async () => {
  const outbox = outboxOf({ isStored: true });
  for (let number = 0; number < 1002; number++) outbox.add(report(`r${number}`));
  expect(outcomes).toEqual(['dropped', 'dropped']);
  run(outboxOf({ isStored: true }));
  await expect.poll(() => posted()[0], { timeout: 20_000 }).toBe('r2 Detected');
});

test('reports are signed, with the same id each time', async () => {
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, 'not for everybody\n');
  responses = [[500, '']];
  run(outboxOf({ secretFile, retryCount: 1, retryInterval: '1s' })).add(report('a'));
  await expect.poll(() => [received.length, clock.pending], { timeout: 20_000 }).toEqual([1, 1]);
  await clock.advance(1000);
  await until(['acknowledged']);
  const [first = expect.fail(), second = expect.fail()] = received;
  expect(first.headers['webhook-id']).toBe(second.headers['webhook-id']);
  const [id, at] = [String(second.headers['webhook-id']), new Date(clock.now())];
  expect(second.headers).toMatchObject(signatureHeaders({ id, at, body: second.body }, 'not for everybody'));
});

test('signatures are those of Standard Webhooks', () => {
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: new Date(1_614_265_330_000),
    body: '{"test": 2432232314}',
  };
  expect(signatureHeaders(message, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('Slack gets a message, whose text cannot be taken for markup', async () => {
  responses = [[200, 'ok']];
  run(outboxOf({ format: 'slack' })).add(report('a'));
  await until(['acknowledged']);
  expect(JSON.parse(received[0]?.body ?? '')).toEqual({
    text: ':rotating_light: Drift detected: ReplicaSet web in shop',
    blocks: [
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text:
            '*:rotating_light: Drift detected: ReplicaSet web in shop*\n' +
            '`ctl&lt;1&gt;` updates *ReplicaSet web*, but nobody has changed *Site web*, which owns it.',
        },
      },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '```kubewright drift show replicaset/web -n shop```' },
      },
      { type: 'context', elements: [{ type: 'mrkdwn', text: 'id a' }] },
    ],
  });
});
