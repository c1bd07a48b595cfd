import { MigratableError, type MigratableErrorCode } from '@kubewright/migratable';
import { OperatorError, type OperatorErrorCode } from '../../operator-error.ts';
import { addressKey } from './address-key.ts';
import type { Broker, BrokerAddress, Brokers } from './broker.ts';

/** Calls `use` with the connection; rejects with `OperatorError`. */
export type Ask<C> = <T>(use: (connection: C) => Promise<T>) => Promise<T>;

const CODES: Readonly<Record<MigratableErrorCode, OperatorErrorCode>> = {
  Unavailable: 'Unavailable',
  NotFound: 'NotFound',
  Forbidden: 'Forbidden',
  Rejected: 'Failed',
  Malformed: 'Usage',
  InvalidState: 'Failed',
};

type Shared<C> = { connection?: C; isReleased: boolean };

/** Brokers of one kind: one connection for each address and its credentials, which all callers share. */
export function sharedConnections<C extends { close(): Promise<void> }>(
  connect: (address: BrokerAddress) => C,
  brokerOf: (ask: Ask<C>) => Broker,
): Brokers {
  const connections = new Map<string, Shared<C>>();
  const sharedAt = (address: BrokerAddress): Shared<C> => {
    const key = addressKey(address);
    const shared = connections.get(key) ?? { isReleased: false };
    connections.set(key, shared);
    return shared;
  };
  const end = async (shared: Shared<C>): Promise<void> => {
    shared.isReleased = true;
    // Whatever it fails with, it is over.
    await shared.connection?.close().catch(() => undefined);
  };
  return {
    at: (address) => {
      const shared = sharedAt(address);
      return brokerOf(async (use) => {
        if (shared.isReleased) throw new OperatorError('Unavailable', 'the connection was closed');
        try {
          return await use((shared.connection ??= connect(address)));
        } catch (error) {
          throw operatorError(error);
        }
      });
    },
    release: async (address) => {
      const shared = connections.get(addressKey(address));
      connections.delete(addressKey(address));
      if (shared !== undefined) await end(shared);
    },
    close: async () => {
      const open = [...connections.values()];
      connections.clear();
      await Promise.all(open.map(end));
    },
  };
}

function operatorError(error: unknown): unknown {
  if (!(error instanceof MigratableError)) return error;
  return new OperatorError(CODES[error.code], `the broker: ${error.message}`, { cause: error });
}
