import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startTcpProxy } from './tcp-proxy.ts';

test('a connection that ends before it is due to be cut does not count: the next one is cut', async () => {
  const echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const proxy = await startTcpProxy(echo.address() as AddressInfo);
  try {
    proxy.cutAfter(10, 1);
    const first = connect(proxy.port, '127.0.0.1');
    first.write('hello');
    await once(first, 'data');
    first.destroy();
    await expect.poll(() => proxy.open).toBe(0);
    expect(proxy.cuts).toBe(0);

    const second = connect(proxy.port, '127.0.0.1').resume();
    // Its reset is an error on some versions of Node.js, and its end on others.
    const isCut = new Promise((resolve) => second.on('error', () => undefined).on('close', resolve));
    second.write('0123456789');
    await isCut;
    expect(proxy.cuts).toBe(1);
  } finally {
    await proxy.close();
    echo.close();
  }
});
