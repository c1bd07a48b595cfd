import { createClient, type Discovered, discoverResources, systemClock } from '@kubewright/client';
import { defined, errorText, type Transport } from '@kubewright/kube';
import {
  type CommandCall,
  type CommandStage,
  type CommandTerminal,
  type OperatorCommand,
  OperatorError,
  paintFor,
} from '@kubewright/operators';
import { printable } from '@kubewright/operators/list';
import { findResource } from '../../discover/find-resource.ts';
import { getText } from '../../discover/get-text.ts';
import { findSchema } from '../../discover/find-schema.ts';
import { connect, explainApiError } from '../connect.ts';
import { KubewrightError } from '../../kubewright-error.ts';
import { errorExitCode } from '../exit-codes.ts';
import { encodeResult } from '../output/encode-result.ts';
import { writtenResults } from '../output/written-results.ts';
import { interruptible } from '../interruptible.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import type { Terminal } from '../../terminal.ts';
import { progressLines } from './progress-lines.ts';

/** A command of an operator, on the cluster that its options name. */
export async function operatorCommand(
  command: OperatorCommand,
  { args, options }: CommandCall,
  terminal: Terminal,
): Promise<void> {
  const { kubeconfig, context, namespace } = options;
  let transport: Transport | undefined;
  let url = '';
  const lines = progressLines(terminal.err, systemClock);
  const results = writtenResults(command, options);
  const local = localTerminal({ ...terminal, progress: terminal.progress ?? lines.show }, options, command);
  const openStage = async (): Promise<CommandStage> => {
    const connection = await connect({ kubeconfig, context }, terminal);
    const way = interruptible(connection.transport, terminal.signal);
    transport = way;
    ({ url } = connection);
    const read = reading(way, terminal);
    return {
      ...local,
      ...read,
      client: results.record(read.client),
      ...defined({ dryRun: results.dryRun }),
      namespace: namespace ?? connection.namespace,
    };
  };
  // One connection, however often the command asks for it: only one is closed.
  let stage: Promise<CommandStage> | undefined;
  const run = (): Promise<void> =>
    command.run({ args, options, terminal: local }, () => (stage ??= openStage()));
  const end = (): void => void transport?.close();
  try {
    await untilInterrupted(terminal.signal, { run, end, leaves: command.leaves });
    await results.print(local.print);
  } catch (error) {
    local.progress('');
    throw withExitCode(explainApiError(error, url), errorExitCode(command, options));
  } finally {
    lines.stop();
    await transport?.close();
  }
}

/** What a command reads with. */
function reading(
  way: Transport,
  { signal }: Terminal,
): Pick<CommandStage, 'client' | 'discover' | 'findResource' | 'findSchema' | 'getText'> {
  // Large documents: read once, however many kinds a command names.
  let discovered: Promise<Discovered> | undefined;
  const discover = (): Promise<Discovered> => (discovered ??= discoverResources(way, signal));
  return {
    client: createClient(way),
    discover,
    findResource: async (name) => findResource(name, await discover()),
    findSchema: (ref) => findSchema(ref, way),
    getText: (path) => getText(path, way),
  };
}

function localTerminal(
  terminal: Terminal & Required<Pick<Terminal, 'progress'>>,
  { output, dryRun }: CommandCall['options'],
  { writes }: OperatorCommand,
): CommandTerminal {
  const progress = (line: string): void => terminal.progress(printable(line));
  // Where objects are the result, what is said beside them is not.
  const out = writes === 'objects' && output !== undefined ? terminal.err : terminal.out;
  return {
    out: writes === 'objects' && dryRun !== undefined ? (text) => out(markDryRun(text, dryRun)) : out,
    paint: paintFor(terminal.colour),
    signal: terminal.signal,
    progress,
    print(result) {
      progress('');
      const isForPeople = output === undefined || output === 'wide';
      if (isForPeople && result.none !== undefined) return terminal.err(`${printable(result.none)}\n`);
      terminal.out(encodeResult(result, output));
    },
  };
}

/** As kubectl marks it: nothing of what a line says has happened. */
function markDryRun(text: string, how: string): string {
  const mark = how === 'server' ? '(server dry run)' : '(dry run)';
  return text.replaceAll(/(?<=\S)$/gm, ` ${mark}`);
}

/** That something differs, or is denied, is no error. */
function withExitCode(error: unknown, exitCode: number | undefined): unknown {
  const isResult = error instanceof OperatorError && (error.code === 'Differs' || error.code === 'Denied');
  const isInterrupted = error instanceof KubewrightError && error.code === 'Interrupted';
  if (exitCode === undefined || isResult || isInterrupted) return error;
  return new KubewrightError('Failed', errorText(error), { cause: error, exitCode });
}
