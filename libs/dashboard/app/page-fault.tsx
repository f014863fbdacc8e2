import { FaultAlert } from '../components/feedback/fault-alert';

/** A page that could not be shown, or not be loaded. */
export function PageFault({ error, reset }: { error: unknown; reset: () => void }) {
  return <FaultAlert error={error} onRetry={reset} />;
}
