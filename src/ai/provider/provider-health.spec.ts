import { type AiErrorType, AiProviderError } from './ai-provider.error';
import { ProviderHealth } from './provider-health';

const failure = (type: AiErrorType) => new AiProviderError(type, type, { retryable: false });

describe(ProviderHealth.name, () => {
  let now = 0;
  let sut: ProviderHealth;

  beforeEach(() => {
    now = 1_000_000;
    sut = new ProviderHealth({ now: () => now, configured: true, unavailableAfter: 3, memoryMs: 60_000 });
  });

  it('is unavailable without a key and available with an unused one', () => {
    expect(new ProviderHealth({ now: () => now, configured: false }).status).toBe('unavailable');
    expect(sut.status).toBe('available');
  });

  it('goes from available to degraded to unavailable, and recovers with one success', () => {
    const seen = [1, 2, 3].map(() => {
      sut.failed(failure('overloaded'));
      return sut.status;
    });
    expect(seen).toEqual(['degraded', 'degraded', 'unavailable']);
    expect(sut.lastError?.type).toBe('overloaded');
    sut.succeeded();
    expect(sut.status).toBe('available');
    expect(sut.lastError).toBeUndefined();
  });

  it.each(['authentication', 'permission_denied', 'spend_limit'] as const)(
    'is unavailable at once after %s, until a success',
    (type) => {
      sut.failed(failure(type));
      now += 3_600_000;
      expect(sut.status).toBe('unavailable');
      sut.succeeded();
      expect(sut.status).toBe('available');
    },
  );

  it.each(['empty_response', 'aborted'] as const)('ignores failures of type %s', (type) => {
    for (let times = 0; times < 5; times++) sut.failed(failure(type));
    expect(sut.status).toBe('available');
  });

  it.each(['invalid_request', 'model_not_found', 'request_too_large'] as const)(
    'is unavailable after three consecutive failures of type %s of configured models',
    (type) => {
      for (let times = 0; times < 5; times++) sut.failed(failure(type), 'foreign');
      const seen = [1, 2, 3].map(() => {
        sut.failed(failure(type));
        return sut.status;
      });
      expect(seen).toEqual(['available', 'available', 'unavailable']);
      sut.succeeded();
      sut.failed(failure(type));
      expect(sut.status).toBe('available');
    },
  );

  it("ignores a missing permission for a client's own model, but counts its other failures", () => {
    sut.failed(failure('permission_denied'), 'foreign');
    expect(sut.status).toBe('available');
    sut.failed(failure('authentication'), 'foreign');
    expect(sut.status).toBe('unavailable');
  });

  it('forgets temporary failures after a minute without another, and counts from zero', () => {
    for (let i = 0; i < 3; i++) sut.failed(failure('timeout'));
    now += 60_001;
    expect(sut.status).toBe('available');
    sut.failed(failure('timeout'));
    expect(sut.status).toBe('degraded');
  });
});
