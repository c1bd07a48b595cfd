import { OPERATORS } from '@kubewright/operators';
import { commandLinePage } from './command-line-page.ts';
import { table } from './markdown.ts';
import { metricRows } from './metric-rows.ts';
import { METRIC_HEADS, operatorPage } from './operator-page.ts';

const NOTE = '<!-- Made by `npm run reference` from the code. Do not edit. -->';

/** The pages of `docs/reference`, by the names of their files. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  const metrics = await metricRows();
  const pages = new Map([
    ['README.md', indexPage()],
    ['command-line.md', commandLinePage()],
    ['metrics.md', metricsPage(metrics.all)],
  ]);
  for (const operator of OPERATORS)
    pages.set(`${operator.name}.md`, await operatorPage(operator, metrics.of(operator.name)));
  return new Map([...pages].map(([name, text]) => [name, `${NOTE}\n\n${text}\n`]));
}

function indexPage(): string {
  const rows = OPERATORS.map(({ name, summary }) => [`[${name}](${name}.md)`, summary]);
  return [
    '# Reference',
    'Names and fields to look up: what each operator declares, the commands, the metrics. These pages are made from the code.',
    table(['operator', 'what it does'], rows),
    '- [Commands](command-line.md): every command with its arguments and flags.\n- [Metrics](metrics.md): what every manager serves at `/metrics`.',
  ].join('\n\n');
}

function metricsPage(rows: readonly (readonly string[])[]): string {
  return [
    '# Metrics: reference',
    'What every manager serves at `/metrics`, with `--health-port`. Names and labels are those of controller-runtime and client-go where they have the metric. What an operator adds is on its page.',
    table(METRIC_HEADS, rows),
  ].join('\n\n');
}
