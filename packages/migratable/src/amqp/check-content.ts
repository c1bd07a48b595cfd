import { MigratableError } from '../migratable-error.ts';
import { ArgumentWalk } from './argument-walk.ts';

const BASIC = 60;
/** The types of a message's properties, by the flags that say which are there: the first has the highest bit. */
const PROPERTIES: readonly string[] = 'sstBBssssQssss'.split('');
/** Bits of the flags that no property has. */
const UNUSED = 0b11;

/** The size of the body that a content header announces. Throws `Malformed` for a header that is none. */
export function checkContent(payload: Buffer): bigint {
  const walk = new ArgumentWalk(payload);
  const group = walk.uint16();
  walk.uint16();
  const size = walk.uint64();
  const flags = walk.uint16();
  if (group !== BASIC || (flags & UNUSED) !== 0)
    throw new MigratableError('Malformed', 'a content header is of no message');
  walk.over(PROPERTIES.filter((_type, index) => (flags & (0x80_00 >> index)) !== 0).join(''));
  if (!walk.isAtEnd) throw new MigratableError('Malformed', 'a content header has more than its properties');
  return size;
}
