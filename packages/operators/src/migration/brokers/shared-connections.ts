import { MigratableError, type MigratableErrorCode } from '@kubewright/migratable';
import { OperatorError, type OperatorErrorCode } from '../../operator-error.ts';
import type { Broker, BrokerAddress, Brokers } from './broker.ts';

/** Calls `use` with the connection; rejects with `OperatorError`. */
export type Ask<C> = <T>(use: (connection: C) => Promise<T>) => Promise<T>;

const CODES: Readonly<Record<MigratableErrorCode, OperatorErrorCode>> = {
  Unavailable: 'Unavailable',
  NotFound: 'NotFound',
  Rejected: 'Failed',
  Malformed: 'Usage',
  InvalidState: 'Failed',
};

/** Brokers of one kind: one connection for each address and its credentials, which all callers share. */
export function sharedConnections<C extends { close(): Promise<void> }>(
  connect: (address: BrokerAddress) => C,
  brokerOf: (ask: Ask<C>) => Broker,
): Brokers {
  const connections = new Map<string, C>();
  const connectionTo = (address: BrokerAddress): C => {
    const key = JSON.stringify([address.url, address.credentials?.username, address.credentials?.password]);
    const connection = connections.get(key) ?? connect(address);
    connections.set(key, connection);
    return connection;
  };
  return {
    at: (address) =>
      brokerOf(async (use) => {
        try {
          return await use(connectionTo(address));
        } catch (error) {
          throw operatorError(error);
        }
      }),
    close: async () => {
      const open = [...connections.values()];
      connections.clear();
      await Promise.all(open.map((connection) => connection.close()));
    },
  };
}

function operatorError(error: unknown): unknown {
  if (!(error instanceof MigratableError)) return error;
  return new OperatorError(CODES[error.code], `the broker: ${error.message}`, { cause: error });
}
