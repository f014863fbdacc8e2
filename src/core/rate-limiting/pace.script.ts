/** The furthest turn that a caller is told, in milliseconds: if its message is gone by then, the turn stays unused. */
export const MAX_RETRY_AFTER_MS = 300_000;

/**
 * Takes a turn in several paces at once, or in none.
 *
 * KEYS: a text per pace, `<end of the turns taken>:<last turn told>` in Unix ms. ARGV: the longest wait (ms), then the
 * interval (ms) and the burst of each pace. Answers: microseconds until the turn, which is taken if it is not longer than the
 * longest wait. Else the first pace whose turn is too far tells a turn of its own to each caller.
 */
export const PACE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local longest = tonumber(ARGV[1])
local wait = 0
local states = {}

local function keep(key, state)
  local last = math.max(state.taken, state.told)
  redis.call('SET', key, string.format('%.3f:%.3f', state.taken, state.told), 'PX', math.max(1, math.ceil(last - now)) + 1000)
end

for i, key in ipairs(KEYS) do
  local interval, burst = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local taken, told = string.match(redis.call('GET', key) or '0:0', '([%d.]+):([%d.]+)')
  -- A clock that was set back shows turns that are too far away.
  local state = {
    taken = math.min(tonumber(taken), now + longest + burst * interval),
    told = math.min(tonumber(told), now + ${MAX_RETRY_AFTER_MS}),
    interval = interval,
  }
  local free = math.max(state.taken, now) - (burst - 1) * interval
  if free - now > longest then
    state.told = math.min(math.max(free, state.told + interval), now + ${MAX_RETRY_AFTER_MS})
    keep(key, state)
    return math.ceil((state.told - now) * 1000)
  end
  wait = math.max(wait, free - now)
  states[i] = state
end
for i, key in ipairs(KEYS) do
  states[i].taken = math.max(states[i].taken, now) + states[i].interval
  keep(key, states[i])
end
return math.ceil(wait * 1000)
`;
