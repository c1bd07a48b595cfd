import { spawnSync } from 'node:child_process';
import { realSide } from './real-side.ts';

/** That of Debian: `python3-pika` is for no other one, as may be the first in PATH. */
export const PYTHON = '/usr/bin/python3';

/** Why the Python sample is not tried: undefined where it is. `.ci/run` installs what it needs, and does without nothing. */
export function whyNoPython(): string | undefined {
  const isRequired = realSide.isRequired && process.env['CI'] === 'true';
  const isThere = isRequired || spawnSync(PYTHON, ['-c', 'import pika']).status === 0;
  return isThere ? undefined : 'needs the Debian package python3-pika';
}
