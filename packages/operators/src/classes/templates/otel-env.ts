import { compareText } from '@kubewright/kube';
import type { ClassRuntime } from '../api.ts';
import type { Settings } from '../settings.ts';

/** Whether a class sends telemetry, and whether there is anywhere to send it. */
export function telemetryOf(
  { spec }: ClassRuntime,
  { otelEnabled, otelEndpoint }: Pick<Settings, 'otelEnabled' | 'otelEndpoint'>,
): { readonly enabled: boolean; readonly hasEndpoint: boolean } {
  return { enabled: spec.telemetry?.enabled ?? otelEnabled, hasEndpoint: otelEndpoint !== '' };
}

/** The variables of OpenTelemetry's SDKs. None without an endpoint: an empty one would be an error in the container. */
export function otelEnv(
  runtime: ClassRuntime,
  settings: Settings,
  serviceName: string,
): Readonly<Record<string, string>> {
  const { enabled, hasEndpoint } = telemetryOf(runtime, settings);
  if (!enabled || !hasEndpoint) return {};
  const { telemetry = {} } = runtime.spec;
  const { traces = true, logs = false, service_name = serviceName } = telemetry;
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: settings.otelEndpoint,
    OTEL_SERVICE_NAME: service_name,
    OTEL_TRACES_ENABLED: String(traces),
    OTEL_LOGS_ENABLED: String(logs),
    ...samplerOf(telemetry),
    ...attributesOf(telemetry),
  };
}

type Telemetry = NonNullable<ClassRuntime['spec']['telemetry']>;

function samplerOf({ sampling_rate = 0.1 }: Telemetry): Readonly<Record<string, string>> {
  if (sampling_rate >= 1) return {};
  return {
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: String(sampling_rate),
  };
}

function attributesOf({ resource_attributes = {} }: Telemetry): Readonly<Record<string, string>> {
  const sorted = Object.entries(resource_attributes).toSorted(([a], [b]) => compareText(a, b));
  if (sorted.length === 0) return {};
  return { OTEL_RESOURCE_ATTRIBUTES: sorted.map(([name, value]) => `${name}=${value}`).join(',') };
}
