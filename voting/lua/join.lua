-- Seat a voter: in the team wished for, else in the smaller one.
-- KEYS: joined.  ARGV: team wished for, or 0.  Answers the team's number.
local team = tonumber(ARGV[1])
if team == 0 then
  local joined = redis.call('HMGET', KEYS[1], '1', '2')
  team = tonumber(joined[1] or 0) <= tonumber(joined[2] or 0) and 1 or 2
end
redis.call('HINCRBY', KEYS[1], team, 1)
return team
