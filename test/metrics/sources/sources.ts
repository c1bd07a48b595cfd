import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMetrics } from '../../../tools/assets/find-metrics.mjs';
import { KEPT, type Source, type SourceProgram } from './source.ts';
import { isOk, type Started, startProgram } from '../../support/start-program.ts';
import { thanos } from './thanos.ts';

const DEBIAN = '/usr/bin/prometheus';
const BUILT = 'npm run assets:metrics';

type Single = Pick<Source, 'name' | 'forms'> & {
  /** The path at which it makes what was written readable. */
  readonly flush?: string;
};

/** One program that is one source. */
function single({ url, stop }: Started, { flush, ...source }: Single): readonly Source[] {
  const flushed = async (): Promise<void> => {
    if (flush !== undefined) await isOk(`${url}${flush}`);
  };
  const writes = [{ url: `${url}/api/v1/write`, earlierMs: 0 }];
  return [{ ...source, url, parameters: '', writes, flush: flushed, stop }];
}

function prometheus(
  { name, forms }: Pick<Source, 'name' | 'forms'>,
  path: string | undefined,
  missing: string,
): SourceProgram {
  const argsFor = (port: number, folder: string): readonly string[] => {
    const config = join(folder, 'prometheus.yml');
    writeFileSync(config, 'scrape_configs: []\n');
    return [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--storage.tsdb.retention.time=${KEPT}`,
      '--web.enable-remote-write-receiver',
      `--web.listen-address=127.0.0.1:${port}`,
    ];
  };
  return {
    name,
    path,
    missing,
    start: async (program) => single(await startProgram(program, '/-/ready', argsFor), { name, forms }),
  };
}

const victoriaMetrics: SourceProgram = {
  name: 'VictoriaMetrics',
  path: findMetrics('victoria-metrics'),
  missing: BUILT,
  async start(path) {
    const started = await startProgram(path, '/health', (port, folder) => [
      `-storageDataPath=${join(folder, 'data')}`,
      `-retentionPeriod=${KEPT}`,
      `-httpListenAddr=127.0.0.1:${port}`,
    ]);
    const forms = ['classic', 'vmrange'] as const;
    return single(started, { name: 'VictoriaMetrics', forms, flush: '/internal/force_flush' });
  },
};

const PROGRAMS: readonly SourceProgram[] = [
  prometheus(
    { name: 'Prometheus 2', forms: ['classic'] },
    existsSync(DEBIAN) ? DEBIAN : undefined,
    'the Debian package prometheus',
  ),
  prometheus({ name: 'Prometheus 3', forms: ['classic', 'native'] }, findMetrics('prometheus'), BUILT),
  victoriaMetrics,
  thanos,
];

export function sourceNames(): readonly string[] {
  return PROGRAMS.map(({ name }) => name);
}

function named(part: string): readonly SourceProgram[] {
  return PROGRAMS.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()));
}

/** Those that are not there, each with how to have it. `part`: of their names. */
export function missingSources(part: string): readonly string[] {
  return named(part)
    .filter(({ path }) => path === undefined)
    .map(({ name, missing }) => `${name} needs ${missing}`);
}

/** Starts each that is there. */
export async function startSources(part: string): Promise<readonly Source[]> {
  const started = named(part).map(async (each) =>
    each.path === undefined ? [] : await each.start(each.path),
  );
  return (await Promise.all(started)).flat();
}
