import { FaultAlert } from '../components/feedback/fault-alert';

/** Shown if a page fails to load or to render. */
export function PageFault({ error, reset }: { error: unknown; reset: () => void }) {
  return <FaultAlert error={error} onRetry={reset} />;
}
