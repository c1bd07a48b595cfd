import type { CommandCall, CommandStage } from '../../../kit/operator.ts';
import { OperatorError } from '../../../operator-error.ts';
import { readApplication } from './read-application.ts';
import { readKustomization } from './read-kustomization.ts';
import { readRelease } from './read-release.ts';
import type { ToolRecord } from './tool-record.ts';

const READERS: Readonly<Record<string, (name: string, stage: CommandStage) => Promise<ToolRecord>>> = {
  release: readRelease,
  application: readApplication,
  kustomization: readKustomization,
};

type Options = CommandCall['options'];

/** Whether a command line names a record instead of an object. */
export function namesRecord(options: Options): boolean {
  return Object.keys(READERS).some((option) => options[option] !== undefined);
}

/** The record that a command line names. Throws OperatorError `Usage` for two, or for one beside an object. */
export async function readRecord(
  { args, options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<{ readonly record: ToolRecord; readonly stage: CommandStage }> {
  const named = Object.entries(READERS).filter(([option]) => options[option] !== undefined);
  const besides = ['all', 'remove', 'filename', 'selector', 'kinds'].find(
    (option) => options[option] !== undefined,
  );
  const [[option, read] = ['', readRelease], ...more] = named;
  if (more.length > 0 || args[0] !== undefined || besides !== undefined) {
    const other = more[0]?.[0] ?? besides;
    const what = other === undefined ? 'KIND/NAME' : `--${other}`;
    throw new OperatorError('Usage', `--${option} names all objects: leave ${what} out`);
  }
  const name = options[option] ?? '';
  if (name === '') throw new OperatorError('Usage', `--${option} has no name`);
  const stage = await connect();
  return { record: await read(name, stage), stage };
}
