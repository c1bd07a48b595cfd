import type { BrokerAddress } from './broker.ts';

/** Two addresses with the same key get the same connection. */
export function addressKey({ url, credentials }: BrokerAddress): string {
  return JSON.stringify([url, credentials?.username, credentials?.password]);
}
