-- A gateway says that control rooms watch the dry run ('watched_at'), or that it shall end ('stopped_at').
-- KEYS: rehearsal.  ARGV: which of the two.  Answers {running 1 or 0, what it told last}, or nothing.
local held = redis.call('HMGET', KEYS[1], 'run', 'progress')
if not held[2] then
  return {}
end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], time[1] * 1000 + math.floor(time[2] / 1000))
return { held[1] and 1 or 0, held[2] }
