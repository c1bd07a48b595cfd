import assert from 'node:assert/strict';
import type { JsonObject } from '@kubewright/kube';
import { beforeAll, expect, test } from 'vitest';
import { type TestServer, USERS } from '../../servers/test-server.ts';
import { call } from '../../support/api.ts';
import { at } from '../../support/at.ts';
import { CLOSE, openWebSocket, PING, PONG, TEXT, type Upgraded } from '../../support/web-socket-client.ts';

/** As clients write it whose watches are WebSockets: those of Java, and of browsers. */
export function webSocketsContract(server: () => TestServer): void {
  const namespace = `web-sockets-${process.pid}`;
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  const bearer = (): string => `Bearer ${server().token}`;
  const open = (
    path: string,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Upgraded> => openWebSocket(server(), path, { authorization: bearer(), ...headers });
  const messageOf = async (socket: Upgraded): Promise<JsonObject> => {
    const frame = await socket.next();
    assert(frame !== undefined, 'the connection has ended');
    expect(frame.opcode).toBe(TEXT);
    return JSON.parse(frame.payload.toString()) as JsonObject;
  };
  const WATCH = `${maps}?watch=true&labelSelector=watched&resourceVersion=0`;

  beforeAll(async () => {
    const transport = server().transport();
    await call(transport, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    const metadata = { name: 'large', labels: { watched: '' } };
    await call(transport, 'POST', maps, { metadata, data: { text: 'x'.repeat(70_000) } });
    await call(transport, 'POST', maps, { metadata: { ...metadata, name: 'small' } });
    await transport.close();
  });

  test('each event of a watch is a message of text, whatever its size, that ends with a line feed', async () => {
    const socket = await open(WATCH);
    expect(socket.status).toBe(101);
    expect([socket.headers.upgrade, socket.headers.connection]).toEqual(['websocket', 'Upgrade']);
    const frames = [await socket.next(), await socket.next()];
    const texts = frames.map((frame) => frame?.payload.toString() ?? '');
    expect(texts.map((text) => at(JSON.parse(text) as JsonObject, 'object', 'metadata', 'name'))).toEqual([
      'large',
      'small',
    ]);
    expect(frames.map((frame) => frame?.opcode)).toEqual([TEXT, TEXT]);
    expect(texts.map((text) => text.endsWith('}\n'))).toEqual([true, true]);
    socket.close();
  });

  test('a watch whose time is over closes its WebSocket with status 1000', async () => {
    const socket = await open(`${maps}?watch=true&labelSelector=none&timeoutSeconds=1`);
    expect(await socket.next()).toEqual({ opcode: CLOSE, payload: Buffer.of(3, 0xe8) });
    expect(await socket.next()).toBeUndefined();
  });

  test('a ping of the client comes back, and its messages are ignored', async () => {
    const socket = await open(`${maps}?watch=true&labelSelector=none`);
    socket.send(TEXT, Buffer.from('hello'));
    socket.send(PING, Buffer.from('are you there'));
    expect(await socket.next()).toEqual({ opcode: PONG, payload: Buffer.from('are you there') });
    socket.close();
  });

  test('a client that closes is answered with a close, and then the connection ends', async () => {
    const socket = await open(`${maps}?watch=true&labelSelector=none`);
    socket.send(CLOSE, Buffer.of(3, 0xe8));
    expect(await socket.next()).toEqual({ opcode: CLOSE, payload: Buffer.of(3, 0xe8) });
    expect(await socket.next()).toBeUndefined();
  });

  test('a frame without a mask is a breach of the protocol: status 1002', async () => {
    const socket = await open(`${maps}?watch=true&labelSelector=none`);
    socket.send(TEXT, Buffer.from('hello'), false);
    expect(await socket.next()).toEqual({ opcode: CLOSE, payload: Buffer.of(3, 0xea) });
    socket.close();
  });

  test('one subprotocol is taken, of two none is', async () => {
    const socket = await open(WATCH, { 'sec-websocket-protocol': 'one' });
    expect([socket.status, socket.headers['sec-websocket-protocol']]).toEqual([101, 'one']);
    socket.close();
    expect((await open(WATCH, { 'sec-websocket-protocol': 'one, two' })).status).toBe(400);
  });

  test('a handshake needs an origin, a key and version 13', async () => {
    expect((await open(WATCH, { origin: undefined })).status).toBe(403);
    expect((await open(WATCH, { origin: 'null' })).status).toBe(403);
    const keyless = await open(WATCH, { 'sec-websocket-key': undefined });
    expect([keyless.status, keyless.text]).toEqual([400, 'mismatch challenge/response']);
    const old = await open(WATCH, { 'sec-websocket-version': '8' });
    expect([old.status, old.headers['sec-websocket-version']]).toEqual([400, '13']);
  });

  test('a token may be a subprotocol beside another one', async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(server().token).toString('base64url')}`;
    const without = { authorization: undefined };
    const socket = await open(WATCH, { ...without, 'sec-websocket-protocol': `${token}, one` });
    expect([socket.status, socket.headers['sec-websocket-protocol']]).toEqual([101, 'one']);
    socket.close();
    expect((await open(WATCH, { ...without, 'sec-websocket-protocol': token })).status).toBe(401);
    const wrong = `base64url.bearer.authorization.k8s.io.${Buffer.from('wrong').toString('base64url')}`;
    expect((await open(WATCH, { ...without, 'sec-websocket-protocol': `${wrong}, one` })).status).toBe(401);
  });

  test('whoever may not watch gets a Status, and no WebSocket', async () => {
    const { status, text } = await open(WATCH, { authorization: `Bearer ${USERS.alice.token}` });
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({ kind: 'Status', reason: 'Forbidden' });
  });

  test('what is no watch has the response that it has without Upgrade', async () => {
    const list = await open(maps);
    expect(list.status).toBe(200);
    expect(JSON.parse(list.text)).toMatchObject({ kind: 'ConfigMapList' });
    expect((await open(`${maps}/missing`)).status).toBe(404);
    const watch = await open(`${maps}?watch=true&timeoutSeconds=1`, { upgrade: 'something' });
    expect(watch.status).toBe(200);
  });

  test('events of later are messages too', async () => {
    const transport = server().transport();
    const socket = await open(`${maps}?watch=true&labelSelector=later`);
    await call(transport, 'POST', maps, { metadata: { name: 'later', labels: { later: '' } } });
    expect(await messageOf(socket)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'later' } } });
    socket.close();
    await transport.close();
  });
}
