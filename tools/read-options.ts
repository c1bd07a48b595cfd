import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Reads the options and arguments of a command of this repository. It prints `usage` and ends the process for `--help`, and for an
 * option that the command does not have.
 */
export function readOptions<T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    const { message } = error as Error;
    process.stderr.write(`${message.split('. ', 1)[0]}\n\n${usage}\n`);
    process.exit(2);
  }
}
