import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addSettings, withSettings } from './add-settings.ts';
import { useTerminal } from './testing/use-terminal.ts';

const terminal = useTerminal();

test('an option sets the environment variable of its name, before what was there', async () => {
  const command = addSettings(new Command('manager'), terminal().terminal);
  command.parse(['--migrating-fields', 'spec', '--request-ttl=1h'], { from: 'user' });
  const env = { MIGRATING_FIELDS: 'status', MIGRATING_FIELD_MANAGERS: 'helm' };
  expect(withSettings({ ...terminal().terminal, env }, command).env).toEqual({
    MIGRATING_FIELDS: 'spec',
    MIGRATING_FIELD_MANAGERS: 'helm',
    REQUEST_TTL: '1h',
  });
});

test('a value that the operator cannot read ends the command with one line', async () => {
  const { run } = terminal();
  expect(await run('up', '--port', '0', '--operators', 'capture', '--request-ttl', 'soon')).toBe(1);
  expect(terminal().err).toMatch(/^kubewright: REQUEST_TTL "soon" is not a duration; .*\n$/);
});

test('an error is printed without the control characters of what it names', async () => {
  const { run } = terminal();
  expect(await run('owners', '\u001b[31mweb', '--kubeconfig', 'none')).toBe(1);
  expect(terminal().err).toContain('\ufffd[31mweb');
  expect(terminal().err).not.toContain('\u001b');
});
