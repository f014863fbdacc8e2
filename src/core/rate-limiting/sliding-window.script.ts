/**
 * WindowLog in Redis, all windows of a key in one step.
 *
 * KEYS: a list per window. ARGV: limit, length (ms) and bucket width (ms) of each window; then how many of the windows are
 * the request's. The other windows are its companion's, which counts only if the request does.
 * A list holds `newest:total` of each bucket in order of time: its newest request (Unix ms) and a running total. Its head is
 * the newest bucket that has left, so that requests in the window = total of the tail − total of the head.
 * Answers: whether the request and its companion are allowed (1 or 0), Redis' clock (Unix ms), then used and freeAt (Unix
 * ms) of each window, as in WindowState.
 */
export const SLIDING_WINDOW_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local own = tonumber(ARGV[3 * #KEYS + 1])
local fits, companion_fits = true, true
local logs = {}

local function entry(key, index)
  local text = redis.call('LINDEX', key, index)
  if not text then return nil end
  local newest, total = string.match(text, '(%d+):(%d+)')
  return { newest = tonumber(newest), total = tonumber(total) }
end

for i, key in ipairs(KEYS) do
  local log = { limit = tonumber(ARGV[3 * i - 2]), window = tonumber(ARGV[3 * i - 1]), width = tonumber(ARGV[3 * i]) }
  log.first = entry(key, 1)
  while log.first and log.first.newest + log.window <= now do
    redis.call('LPOP', key)
    log.first = entry(key, 1)
  end
  local head = entry(key, 0)
  log.left = head and head.total or 0
  log.empty = not head
  log.last = log.first and entry(key, -1)
  log.total = log.last and log.last.total or log.left
  log.used = log.total - log.left
  if log.used >= log.limit then
    if i <= own then fits = false else companion_fits = false end
  end
  logs[i] = log
end

local function free_at(key, log)
  if log.used < log.limit or not log.first then return now + log.window end
  if log.total - log.first.total < log.limit then return log.first.newest + log.window end
  -- The limit was lowered: the first bucket after which few enough are left.
  local low, high = 1, redis.call('LLEN', key) - 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if log.total - entry(key, middle).total < log.limit then high = middle else low = middle + 1 end
  end
  return entry(key, low).newest + log.window
end

companion_fits = fits and companion_fits
local answer = { fits and 1 or 0, companion_fits and 1 or 0, now }
for i, key in ipairs(KEYS) do
  local log = logs[i]
  if i <= own and not fits or i > own and not companion_fits then
    answer[2 * i + 2] = log.used
    answer[2 * i + 3] = free_at(key, log)
  else
    local total = log.total + 1
    if log.empty then redis.call('RPUSH', key, '0:0') end
    -- A clock that was set back counts on in the newest bucket.
    local newest = log.last and math.max(log.last.newest, now) or now
    local added = string.format('%.0f:%.0f', newest, total)
    if log.last and math.floor(log.last.newest / log.width) == math.floor(newest / log.width) then
      redis.call('LSET', key, -1, added)
    else
      redis.call('RPUSH', key, added)
    end
    redis.call('PEXPIRE', key, log.window + log.width)
    answer[2 * i + 2] = log.used + 1
    answer[2 * i + 3] = entry(key, 1).newest + log.window
  end
end
return answer
`;

/**
 * No longer counts a request, in the windows that are not over: from the other windows it has already left, and later
 * requests stay counted. KEYS: its lists. ARGV: Redis' clock (Unix ms) when it was counted, then the length of each window
 * (ms). Its bucket is the first bucket whose newest request is not older than it; that total and all later ones include it.
 */
export const GIVE_BACK_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local at = tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  local oldest = at + tonumber(ARGV[i + 1]) > now and 1 or math.huge
  for index = redis.call('LLEN', key) - 1, oldest, -1 do
    local newest, total = string.match(redis.call('LINDEX', key, index), '(%d+):(%d+)')
    if tonumber(newest) < at then break end
    redis.call('LSET', key, index, string.format('%s:%.0f', newest, tonumber(total) - 1))
  end
end
return 1
`;
