import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import type { ShopBroker } from './shop-broker.ts';

/** A broker whose `url` leads over a wire. Producers have connections of their own to it. */
export type WiredBroker = ShopBroker & Pick<TcpProxy, 'halve'>;

/** The broker that `start` resolves with, and a wire before it. */
export async function wireBroker(start: () => Promise<ShopBroker>): Promise<WiredBroker> {
  const broker = await start();
  const url = new URL(broker.url);
  const wire = await startTcpProxy({ port: Number(url.port) });
  return {
    ...broker,
    url: `${url.protocol}//127.0.0.1:${wire.port}`,
    halve: () => wire.halve(),
    async close() {
      await wire.close();
      await broker.close();
    },
  };
}
