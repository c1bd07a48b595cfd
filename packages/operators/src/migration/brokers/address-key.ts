import type { BrokerAddress } from './broker.ts';

/** Two addresses with the same key get the same connection. */
export function addressKey({ url, credentials, login, tls }: BrokerAddress): string {
  const secrets = [login?.token, login?.nkey, login?.credentials, tls?.ca, tls?.cert, tls?.key];
  return JSON.stringify([url, credentials?.username, credentials?.password, ...secrets]);
}
