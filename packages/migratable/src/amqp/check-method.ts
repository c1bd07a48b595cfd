import { MigratableError } from '../migratable-error.ts';
import { ArgumentWalk } from './argument-walk.ts';

const id = (group: number, method: number): number => group * 65_536 + method;

export const CONNECTION_START: number = id(10, 10);
const CONNECTION_TUNE = id(10, 30);
/** What a message's content follows. */
const CARRIERS: ReadonlySet<number> = new Set([id(60, 50), id(60, 60), id(60, 71)]);
/** The least that AMQP allows, and the client needs. */
const LEAST_FRAME = 4096;

/**
 * The arguments of the methods that a server sends: class, method, and types for {@link ArgumentWalk.over}. Flags share
 * an octet.
 */
const METHODS: ReadonlyMap<number, string> = new Map(
  (
    [
      [10, 10, 'BBtLL'], // connection.start
      [10, 20, 'L'], // connection.secure
      [10, 30, 'HIH'], // connection.tune
      [10, 41, 's'], // connection.open-ok
      [10, 50, 'HsHH'], // connection.close
      [10, 51, ''], // connection.close-ok
      [10, 60, 's'], // connection.blocked
      [10, 61, ''], // connection.unblocked
      [20, 11, 'L'], // channel.open-ok
      [20, 40, 'HsHH'], // channel.close
      [20, 41, ''], // channel.close-ok
      [40, 11, ''], // exchange.declare-ok
      [40, 21, ''], // exchange.delete-ok
      [40, 31, ''], // exchange.bind-ok
      [40, 51, ''], // exchange.unbind-ok
      [50, 11, 'sII'], // queue.declare-ok
      [50, 21, ''], // queue.bind-ok
      [50, 31, 'I'], // queue.purge-ok
      [50, 41, 'I'], // queue.delete-ok
      [50, 51, ''], // queue.unbind-ok
      [60, 11, ''], // basic.qos-ok
      [60, 21, 's'], // basic.consume-ok
      [60, 30, 'sB'], // basic.cancel
      [60, 31, 's'], // basic.cancel-ok
      [60, 50, 'Hsss'], // basic.return
      [60, 60, 'sQBss'], // basic.deliver
      [60, 71, 'QBssI'], // basic.get-ok
      [60, 72, 's'], // basic.get-empty
      [60, 80, 'QB'], // basic.ack
      [60, 111, ''], // basic.recover-ok
      [60, 120, 'QB'], // basic.nack
      [85, 11, ''], // confirm.select-ok
      [90, 11, ''], // tx.select-ok
      [90, 21, ''], // tx.commit-ok
      [90, 31, ''], // tx.rollback-ok
    ] as const
  ).map(([group, method, types]) => [id(group, method), types]),
);

/** The id of a method that a server may send on this channel. Throws `Malformed` for any other. */
export function checkMethod(payload: Buffer, channel: number): number {
  const walk = new ArgumentWalk(payload);
  const [group, method] = [walk.uint16(), walk.uint16()];
  const found = id(group, method);
  const types = METHODS.get(found);
  if (types === undefined)
    throw new MigratableError('Malformed', `${group}.${method} is no method of a server`);
  // The connection's own methods are on channel 0, and nothing else is.
  if ((group === 10) !== (channel === 0))
    throw new MigratableError('Malformed', `method ${group}.${method} is on channel ${channel}`);
  walk.over(types);
  if (!walk.isAtEnd)
    throw new MigratableError('Malformed', `method ${group}.${method} has more than its arguments`);
  if (found === CONNECTION_TUNE) checkTune(payload);
  return found;
}

export const carriesContent = (method: number): boolean => CARRIERS.has(method);

function checkTune(payload: Buffer): void {
  const frameMax = payload.readUInt32BE(6);
  if (frameMax !== 0 && frameMax < LEAST_FRAME)
    throw new MigratableError('Malformed', `its largest frame is ${frameMax}, less than ${LEAST_FRAME}`);
}
