/**
 * WindowLog in Redis, all windows of a key in one step.
 *
 * KEYS: a list per window. ARGV, three for each: limit, width of a bucket (ms), buckets in a window.
 * A list holds `bucket:total` in order of time, `total` running; its head is the newest bucket that has left, so that
 * requests in the window = total of the tail − total of the head.
 * Answers: allowed (1 or 0), Redis' clock (Unix ms), then used and freeAt (Unix ms) of each window, as WindowState.
 */
export const SLIDING_WINDOW_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local fits = true
local logs = {}

local function entry(key, index)
  local text = redis.call('LINDEX', key, index)
  if not text then return nil end
  local bucket, total = string.match(text, '(%d+):(%d+)')
  return { bucket = tonumber(bucket), total = tonumber(total) }
end

for i, key in ipairs(KEYS) do
  local log = { limit = tonumber(ARGV[3 * i - 2]), width = tonumber(ARGV[3 * i - 1]), count = tonumber(ARGV[3 * i]) }
  log.current = math.floor(now / log.width)
  log.first = entry(key, 1)
  while log.first and log.first.bucket < log.current - log.count do
    redis.call('LPOP', key)
    log.first = entry(key, 1)
  end
  local head = entry(key, 0)
  log.left = head and head.total or 0
  log.empty = not head
  log.last = log.first and entry(key, -1)
  log.total = log.last and log.last.total or log.left
  log.used = log.total - log.left
  if log.used >= log.limit then fits = false end
  logs[i] = log
end

local function leaves_at(log, bucket)
  return (bucket + log.count + 1) * log.width
end

local function free_at(key, log)
  if log.used < log.limit or not log.first then return now + (log.count + 1) * log.width end
  if log.total - log.first.total < log.limit then return leaves_at(log, log.first.bucket) end
  -- The limit was lowered: the first bucket after which few enough are left.
  local low, high = 1, redis.call('LLEN', key) - 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if log.total - entry(key, middle).total < log.limit then high = middle else low = middle + 1 end
  end
  return leaves_at(log, entry(key, low).bucket)
end

local answer = { fits and 1 or 0, now }
for i, key in ipairs(KEYS) do
  local log = logs[i]
  if not fits then
    answer[2 * i + 1] = log.used
    answer[2 * i + 2] = free_at(key, log)
  else
    local total = log.total + 1
    if log.empty then redis.call('RPUSH', key, '0:0') end
    -- A clock that was set back counts on in the newest bucket.
    if log.last and log.last.bucket >= log.current then
      redis.call('LSET', key, -1, string.format('%.0f:%.0f', log.last.bucket, total))
    else
      redis.call('RPUSH', key, string.format('%.0f:%.0f', log.current, total))
    end
    redis.call('PEXPIRE', key, (log.count + 2) * log.width)
    answer[2 * i + 1] = log.used + 1
    answer[2 * i + 2] = leaves_at(log, log.first and log.first.bucket or log.current)
  end
end
return answer
`;
