import { readdirSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { OPERATORS } from '@kubewright/operators';
import { isLong } from '../../../../test/support/seeds.ts';
import { useTerminal } from './testing/use-terminal.ts';

const terminal = useTerminal();
const playable = OPERATORS.filter(({ demo }) => demo !== undefined).map(({ name }) => name);
/** test/start.test.ts plays all of them together in each run. */
const PLAYED = isLong ? playable : playable.slice(0, 1);

describe('kubewright demo', () => {
  test.each(PLAYED)('%s plays its use case, says how it went, and leaves nothing', async (name) => {
    expect(await terminal().run('demo', name), terminal().err).toBe(0);
    const { out, err, folder } = terminal();
    expect(out).toContain(`${name}: ${OPERATORS.find((one) => one.name === name)?.demo?.title}`);
    // A slow machine may make a controller warn of a response that is late.
    expect(err).not.toMatch(/^kubewright: |"level":[56]0/m);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('plays twice on a cluster that runs', async () => {
    const { run, ready, interrupt } = terminal();
    const ended = run('up', '--port', '0', '--operators', 'ownership', '--nodes', '0');
    await ready();
    expect(
      await run('demo', 'ownership', '--kubeconfig', `${terminal().folder}/.kubewright/kubeconfig`),
    ).toBe(0);
    expect(terminal().out.match(/init containers: none/g)).toHaveLength(2);
    interrupt();
    expect(await ended).toBe(0);
    expect(readdirSync(terminal().folder)).toEqual([]);
  });

  test('that is interrupted did not go well', async () => {
    const { run, interrupt } = terminal();
    const ended = run('demo', 'ownership');
    await vi.waitFor(() => expect(terminal().out).toContain('ownership: '), { timeout: 30_000 });
    interrupt();
    expect(await ended).toBe(130);
    expect(terminal().err).toBe('kubewright: the demo of ownership was interrupted\n');
  });

  test('of an operator that has none names those that have', async () => {
    expect(await terminal().run('demo', 'weaver')).toBe(1);
    expect(terminal().err).toContain("argument 'name'. Allowed choices are ");
    expect(terminal().err).toContain('ownership');
  });
});
